-- Streams that have been waiting for a number for longer than the first of those held back allows;
-- `overdue` counts all. From stream to stream by their key: as many steps as streams that an event
-- waits in, however many wait in each.
-- takes now timestamptz, limit_rows bigint
-- gives books text, scope text, last bigint null, gap_since timestamptz null, sequence bigint,
--       provider text, event_id text, overdue bigint
WITH RECURSIVE streams AS (
    (SELECT books, scope FROM sequence_waits ORDER BY books, scope LIMIT 1)
    UNION ALL
    SELECT following.books, following.scope
    FROM streams s
    CROSS JOIN LATERAL (
        SELECT books, scope FROM sequence_waits w
        WHERE (w.books, w.scope) > (s.books, s.scope)
        ORDER BY books, scope
        LIMIT 1) AS following)
SELECT q.books, q.scope, q.last, q.gap_since, waiting.sequence, waiting.provider, waiting.event_id,
       count(*) OVER () AS overdue
FROM streams s
JOIN sequences q ON q.books = s.books AND q.scope = s.scope AND q.gap_since IS NOT NULL
CROSS JOIN LATERAL (
    SELECT w.sequence, w.provider, w.event_id, i.plan
    FROM sequence_waits w
    JOIN webhook_intents i ON i.segment = w.segment AND i.provider = w.provider
                          AND i.event_id = w.event_id
    WHERE w.books = q.books AND w.scope = q.scope AND NOT w.passed AND i.status = 'parked'
    ORDER BY w.sequence, w.provider, w.event_id
    LIMIT 1) AS waiting
WHERE q.gap_since <= :now
                     - (waiting.plan ->> 'gap_deadline_us')::bigint * interval '1 microsecond'
ORDER BY q.gap_since, q.books, q.scope
LIMIT :limit_rows
