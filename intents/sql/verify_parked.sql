SELECT i.provider || '/' || i.event_id, 'waits for ' || t.effect_key || ', which has been posted'
FROM webhook_intents i
JOIN transfers t ON i.note = 'waiting for ' || t.effect_key
WHERE i.status = 'parked'
LIMIT $1
