-- $1 effect keys; $2 at most so many. Whoever waits is looked up by key, one by one: the LIMIT
-- inside keeps the planner from joining all intents first where it thinks there are none.
SELECT w.effect_key, w.provider, w.event_id, i.plan::text, i.event_type,
       encode(i.fingerprint, 'hex'),
       encode(i.body_sha256, 'hex'), i.correlation_id, i.received_at, w.segment
FROM effect_waits w
CROSS JOIN LATERAL (
    SELECT * FROM webhook_intents own
    WHERE own.segment = w.segment AND own.provider = w.provider AND own.event_id = w.event_id
    LIMIT 1) AS i
WHERE w.effect_key = ANY ($1::text[])
ORDER BY w.effect_key, w.provider, w.event_id
LIMIT $2
