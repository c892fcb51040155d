-- $1 effect keys; $2 at most so many
SELECT w.effect_key, i.provider, i.event_id, i.plan::text, i.event_type, i.fingerprint,
       encode(i.body_sha256, 'hex'), i.correlation_id, i.received_at
FROM effect_waits w
JOIN webhook_intents i ON i.provider = w.provider AND i.event_id = w.event_id
WHERE w.effect_key = ANY ($1::text[])
ORDER BY w.effect_key, w.provider, w.event_id
LIMIT $2
