-- $1 provider, $2 seconds that it keeps its events, $3 seconds in which it redelivers, $4 at most
-- so many. Answers with how many were purged
SELECT pawl.purge_intents($1, $2::bigint * interval '1 second', $3::bigint * interval '1 second',
                          $4::integer)
