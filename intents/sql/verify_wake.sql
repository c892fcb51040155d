SELECT provider || '/' || event_id, 'is ' || status || ' and nothing will wake it'
FROM webhook_intents
WHERE status IN ('pending', 'parked') AND wake_at IS NULL
LIMIT $1
