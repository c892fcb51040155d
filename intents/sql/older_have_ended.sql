-- Have this transaction and all before it ended?
-- takes transaction_number text
-- gives ended boolean
SELECT pg_snapshot_xmin(pg_current_snapshot()) > :transaction_number::xid8 AS ended
