-- $1 providers, $2 forgotten before; $3, $4, $5 after this event: time, provider, id; $6 rows
-- looked at
SELECT last_time, last_provider, last_event
FROM pawl_forget_intents($1::text[], $2::timestamptz[], $3::timestamptz, $4, $5, $6::integer)
