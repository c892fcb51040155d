-- $1 after this delivery, $2 deliveries looked at. Answers with the last of them; NULL: the end
SELECT pawl.reap_open_deliveries($1::bigint, $2::integer)
