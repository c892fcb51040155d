-- The numbers of those that are stored, from 1. Looked up one by one: the LIMIT keeps the planner
-- from any other join.
-- takes provider text[], event_id text[], body_sha256 bytea[]
-- gives n bigint
SELECT wanted.n
FROM unnest(:provider, :event_id, :body_sha256)
  WITH ORDINALITY AS wanted (provider, event_id, body_sha256, n)
CROSS JOIN LATERAL (
    SELECT FROM redeliveries own
    WHERE own.provider = wanted.provider AND own.event_id = wanted.event_id
      AND own.body_sha256 = wanted.body_sha256
    LIMIT 1) AS r
