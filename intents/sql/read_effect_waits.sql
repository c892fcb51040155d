-- Parked events are looked up by key, one by one: the LIMIT inside keeps the planner from joining
-- all intents first if it expects none.
-- takes effect_key text[], limit_rows bigint
-- gives effect_key text, provider text, event_id text, plan text null, event_type text,
--       fingerprint text, body_sha256 text, correlation_id text, received_at timestamptz,
--       segment integer
SELECT w.effect_key, w.provider, w.event_id, i.plan::text, i.event_type,
       encode(i.fingerprint, 'hex') AS fingerprint,
       encode(i.body_sha256, 'hex') AS body_sha256, i.correlation_id, i.received_at, w.segment
FROM effect_waits w
CROSS JOIN LATERAL (
    SELECT * FROM webhook_intents own
    WHERE own.segment = w.segment AND own.provider = w.provider AND own.event_id = w.event_id
    LIMIT 1) AS i
WHERE w.effect_key = ANY (:effect_key)
ORDER BY w.effect_key, w.provider, w.event_id
LIMIT :limit_rows
