-- $1 seconds since a partition of finished jobs ended. True: there may be more
SELECT pawl.drop_partition('jobs_done', $1::bigint * interval '1 second')
