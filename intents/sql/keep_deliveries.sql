-- $1 a partition, $2 seconds since it ended, $3 unfinished events looked at. True: there is more
SELECT pawl.keep_deliveries($1, $2::bigint * interval '1 second', $3::integer)
