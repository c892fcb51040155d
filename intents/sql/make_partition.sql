-- $1 a partitioned table, $2 from which time on, $3 so many. True: one was made, there may be more
SELECT pawl.make_partition($1, $2::timestamptz, $3::integer)
