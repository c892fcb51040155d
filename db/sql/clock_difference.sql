-- $1: what we say the time is. Milliseconds by which the database is ahead of us.
SELECT (extract(epoch FROM clock_timestamp() - $1::timestamptz) * 1000)::bigint
