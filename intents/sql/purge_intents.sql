-- $1 provider, $2 seconds that it keeps its events, $3 seconds that it delivers again, $4 events
-- looked at. True: there is more to look at
SELECT pawl.purge_intents($1, $2::bigint * interval '1 second', $3::bigint * interval '1 second',
                           $4::integer)
