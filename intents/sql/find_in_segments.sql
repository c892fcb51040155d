-- $1 providers, $2 event ids, $3 segments: those that are there
SELECT wanted.provider, wanted.event_id, wanted.segment
FROM unnest($1::text[], $2::text[], $3::bigint[]) AS wanted (provider, event_id, segment)
CROSS JOIN LATERAL (
    SELECT FROM webhook_intents own
    WHERE own.segment = wanted.segment AND own.provider = wanted.provider
      AND own.event_id = wanted.event_id
    LIMIT 1) AS i
