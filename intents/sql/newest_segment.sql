-- And about how many events it has, by the counter of inserted rows; where that was set back by a
-- crash of the server, the count begins again, and the segment grows larger than others.
-- gives segment integer, events bigint
SELECT s.segment, CASE WHEN counter.rows >= s.rows_before THEN counter.rows - s.rows_before
                       ELSE counter.rows END AS events
FROM segments s
CROSS JOIN (SELECT pg_stat_get_tuples_inserted('webhook_intents'::regclass) AS rows) AS counter
ORDER BY s.segment DESC
LIMIT 1
