-- takes segment integer, after_provider text, after_event_id text, keys_max bigint
-- gives provider text, event_id text
SELECT provider, event_id
FROM webhook_intents
WHERE segment = :segment AND (provider, event_id) > (:after_provider, :after_event_id)
ORDER BY segment, provider, event_id
LIMIT :keys_max
