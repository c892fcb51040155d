-- Returns the wanted keys that are stored.
-- takes provider text[], event_id text[], segment bigint[]
-- gives provider text, event_id text, segment bigint
SELECT wanted.provider, wanted.event_id, wanted.segment
FROM unnest(:provider, :event_id, :segment) AS wanted (provider, event_id, segment)
CROSS JOIN LATERAL (
    SELECT FROM webhook_intents own
    WHERE own.segment = wanted.segment AND own.provider = wanted.provider
      AND own.event_id = wanted.event_id
    LIMIT 1) AS i
