-- $1 seconds since they ended
SELECT part FROM pawl.expired_deliveries($1::bigint * interval '1 second')
