-- Locks sorted numbers. A function scan keeps their order, and a volatile column is never optimised
-- away. The transaction's number is given here, before anything is read: a segment is sealed when
-- every transaction has ended that may not have seen the next one (sealing.cpp).
-- takes key bigint[]
-- gives ignored
SELECT count(taken.lock), pg_current_xact_id()::text
FROM (SELECT pg_advisory_xact_lock(key) AS lock FROM unnest(:key) AS key) AS taken
