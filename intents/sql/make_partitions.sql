SELECT pawl.make_delivery_partitions($1::timestamptz, $2::integer)
