-- Seconds by status; $1 what time it is
SELECT status, greatest(0, extract(epoch FROM $1::timestamptz - min(received_at)))::bigint
FROM webhook_intents
WHERE status IN ('pending', 'parked')
GROUP BY status
