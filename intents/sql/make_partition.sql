-- Makes one missing partition of the next :ahead; `made`: there may be another.
-- takes table_name text, from_time timestamptz, ahead integer
-- gives made boolean
SELECT pawl.make_partition(:table_name, :from_time, :ahead) AS made
