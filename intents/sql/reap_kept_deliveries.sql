-- $1 a partition of those that are not dropped, $2 seconds since a delivery came, $3 from this
-- block on, $4 so many
SELECT pawl.reap_kept_deliveries($1, $2::bigint * interval '1 second', $3::bigint, $4::integer)
