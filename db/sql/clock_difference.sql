-- Returns the database's clock minus this machine's.
-- takes our_time timestamptz
-- gives milliseconds bigint
SELECT (extract(epoch FROM clock_timestamp() - :our_time) * 1000)::bigint AS milliseconds
