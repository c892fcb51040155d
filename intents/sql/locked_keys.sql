-- The keys that another transaction holds; the others are locked until the transaction ends.
-- takes key bigint[]
-- gives key bigint
SELECT key
FROM unnest(:key) AS key
WHERE NOT pg_try_advisory_xact_lock(key)
