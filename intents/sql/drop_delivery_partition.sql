-- $1 a partition, $2 seconds since it ended
SELECT pawl.drop_delivery_partition($1, $2::bigint * interval '1 second')
