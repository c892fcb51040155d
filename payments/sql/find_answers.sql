-- The answers of scopes (:principal, :route, :key) that have one; `place` counts the scopes from 1.
-- Looked up one by one: the LIMIT keeps the planner from any other join.
-- takes principal text[], route text[], key text[]
-- gives place bigint, status integer null, headers bytea, body bytea null
SELECT wanted.place, answer.status, coalesce(answer.headers, '') AS headers, answer.body
FROM unnest(:principal, :route, :key)
     WITH ORDINALITY AS wanted (principal, route, key, place)
CROSS JOIN LATERAL (
    SELECT own.status, own.headers, own.body FROM idempotency_keys own
    WHERE own.principal = wanted.principal AND own.route = wanted.route AND own.key = wanted.key
    LIMIT 1) AS answer
WHERE answer.status IS NOT NULL
