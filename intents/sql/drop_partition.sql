-- Drops one partition of the table that ended so long ago, if any; `more`: there may be another.
-- takes table_name text, seconds_since_end bigint
-- gives more boolean
SELECT pawl.drop_partition(:table_name, :seconds_since_end * interval '1 second') AS more
