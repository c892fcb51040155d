-- Opens the segment after this one, unless that has been done.
-- takes segment integer
INSERT INTO segments (segment, opened_at, rows_before)
VALUES (:segment + 1, clock_timestamp(),
        pg_stat_get_tuples_inserted('webhook_intents'::regclass))
ON CONFLICT (segment) DO NOTHING
