-- $1 the number of a transaction: have it and all before it ended?
SELECT pg_snapshot_xmin(pg_current_snapshot()) > $1::text::xid8
