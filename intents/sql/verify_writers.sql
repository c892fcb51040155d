-- The transactions that are writing into a chained table: they may have drawn a number already.
-- gives virtualtransaction text
SELECT virtualtransaction
FROM pg_locks
WHERE locktype = 'relation' AND mode = 'RowExclusiveLock'
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND relation IN ('transfers'::regclass, 'audit_log'::regclass)
