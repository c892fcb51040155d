-- $1 providers, $2 event ids, $3 how many more, $4 segments. Rows are found one by one, by key, and
-- then by their place: the LIMIT keeps the planner from any other join.
UPDATE webhook_intents i SET deliveries = i.deliveries + seen.more
FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])
  AS seen (provider, event_id, more, segment)
CROSS JOIN LATERAL (
    SELECT own.ctid AS place FROM webhook_intents own
    WHERE own.segment = seen.segment AND own.provider = seen.provider
      AND own.event_id = seen.event_id
    LIMIT 1) AS known
WHERE i.ctid = known.place AND i.segment = seen.segment AND i.provider = seen.provider
  AND i.event_id = seen.event_id
