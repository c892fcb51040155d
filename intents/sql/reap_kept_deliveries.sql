-- $1 received before, $2 at most so many
SELECT pawl_reap_kept_deliveries($1::timestamptz, $2::integer)
