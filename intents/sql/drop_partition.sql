-- $1 a partitioned table, $2 seconds since a partition ended. True: there may be more
SELECT pawl.drop_partition($1, $2::bigint * interval '1 second')
