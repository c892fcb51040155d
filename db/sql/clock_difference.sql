-- How far the clock of the database is ahead of ours.
-- takes our_time timestamptz
-- gives milliseconds bigint
SELECT (extract(epoch FROM clock_timestamp() - :our_time) * 1000)::bigint AS milliseconds
