-- Its own delivery has the bytes, or that of another item of the same batch. An event whose id was
-- taken by other content came under that id. Joins, so that all rows are asked about at once, and
-- EXCEPT where NOT EXISTS would do: with a LIMIT behind it that compares each row with each other.
WITH unfinished AS (
    SELECT provider, event_id, event_id AS came_as FROM webhook_intents WHERE status <> 'done'
    UNION
    SELECT provider, event_id, regexp_replace(event_id, '~[0-9a-f]{16}$', '')
    FROM webhook_intents WHERE status <> 'done'),
with_bytes AS (
    SELECT u.provider, u.event_id
    FROM unfinished u
    JOIN webhook_deliveries own
      ON own.provider = u.provider AND own.event_id = u.came_as AND own.verdict = 'authentic'
    LEFT JOIN webhook_deliveries head
      ON head.provider = own.provider AND head.event_id = own.batch_head
     AND head.verdict = 'authentic' AND head.batch_head IS NULL
    WHERE own.batch_head IS NULL OR head.event_id IS NOT NULL),
lacking AS (
    SELECT provider, event_id FROM webhook_intents WHERE status <> 'done'
    EXCEPT SELECT provider, event_id FROM with_bytes)
SELECT i.provider || '/' || i.event_id, 'is ' || i.status || ', and no delivery has its bytes'
FROM lacking JOIN webhook_intents i USING (provider, event_id)
LIMIT $1
