-- takes now timestamptz
-- gives status text, seconds bigint
SELECT status, greatest(0, extract(epoch FROM :now - min(received_at)))::bigint AS seconds
FROM webhook_intents
WHERE status IN ('pending', 'parked')
GROUP BY status
