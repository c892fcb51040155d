-- $1 principals, $2 routes, $3 keys: threes. Looked up one by one: the LIMIT keeps the planner from
-- any other join.
SELECT wanted.place, answer.status, coalesce(answer.headers, ''), answer.body
FROM unnest($1::text[], $2::text[], $3::text[])
     WITH ORDINALITY AS wanted (principal, route, key, place)
CROSS JOIN LATERAL (
    SELECT own.status, own.headers, own.body FROM idempotency_keys own
    WHERE own.principal = wanted.principal AND own.route = wanted.route AND own.key = wanted.key
    LIMIT 1) AS answer
WHERE answer.status IS NOT NULL
