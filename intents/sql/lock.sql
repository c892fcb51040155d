-- $1: sorted lock numbers. A function scan keeps their order, and a volatile column is never
-- optimised away.
SELECT count(taken.lock)
FROM (SELECT pg_advisory_xact_lock(key) AS lock FROM unnest($1::bigint[]) AS key) AS taken
