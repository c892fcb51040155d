-- $1 a segment: the one after it is opened, unless that has been done.
INSERT INTO segments (segment, opened_at, rows_before)
VALUES ($1::integer + 1, clock_timestamp(),
        pg_stat_get_tuples_inserted('webhook_intents'::regclass))
ON CONFLICT (segment) DO NOTHING
