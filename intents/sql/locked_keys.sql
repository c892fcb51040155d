-- $1: lock numbers. Those that somebody else holds; the others are ours until the transaction ends.
SELECT key
FROM unnest($1::bigint[]) AS key
WHERE NOT pg_try_advisory_xact_lock(key)
