-- Rows are found one by one, by key, and then by their place: the LIMIT keeps the planner from any
-- other join.
-- takes provider text[], event_id text[], more bigint[], segment bigint[]
UPDATE webhook_intents i SET deliveries = i.deliveries + seen.more
FROM unnest(:provider, :event_id, :more, :segment)
  AS seen (provider, event_id, more, segment)
CROSS JOIN LATERAL (
    SELECT own.ctid AS place FROM webhook_intents own
    WHERE own.segment = seen.segment AND own.provider = seen.provider
      AND own.event_id = seen.event_id
    LIMIT 1) AS known
WHERE i.ctid = known.place AND i.segment = seen.segment AND i.provider = seen.provider
  AND i.event_id = seen.event_id
