-- The newest segment and its approximate number of events, by the counter of inserted rows; a crash
-- of the server may reset the counter, and the segment then grows larger than others.
-- gives segment integer, events bigint
SELECT s.segment, CASE WHEN counter.rows >= s.rows_before THEN counter.rows - s.rows_before
                       ELSE counter.rows END AS events
FROM segments s
CROSS JOIN (SELECT pg_stat_get_tuples_inserted('webhook_intents'::regclass) AS rows) AS counter
ORDER BY s.segment DESC
LIMIT 1
