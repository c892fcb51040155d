-- $1 ended before, $2 at most so many rows that are still needed
SELECT part, kept, dropped FROM pawl_drop_delivery_partition($1::timestamptz, $2::integer)
