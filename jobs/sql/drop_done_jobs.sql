-- Drops one partition of finished jobs that ended so long ago, if any; `more`: there may be
-- another.
-- takes seconds_since_end bigint
-- gives more boolean
SELECT pawl.drop_partition('jobs_done', :seconds_since_end * interval '1 second') AS more
