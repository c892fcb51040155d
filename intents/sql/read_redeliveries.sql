-- $1 providers, $2 event ids, $3 SHA-256 of bytes: the numbers of those that are stored. Looked up
-- one by one: the LIMIT keeps the planner from any other join.
SELECT wanted.n
FROM unnest($1::text[], $2::text[], $3::bytea[])
  WITH ORDINALITY AS wanted (provider, event_id, body_sha256, n)
CROSS JOIN LATERAL (
    SELECT FROM redeliveries own
    WHERE own.provider = wanted.provider AND own.event_id = wanted.event_id
      AND own.body_sha256 = wanted.body_sha256
    LIMIT 1) AS r
