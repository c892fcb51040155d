-- Over since before $1, the oldest first, at most $2.
DELETE FROM jobs j
USING (SELECT id, target
       FROM jobs
       WHERE state IN ('done', 'discarded') AND done_at < $1::timestamptz
       ORDER BY done_at
       LIMIT $2
       FOR UPDATE SKIP LOCKED) AS over
WHERE j.id = over.id AND j.target = over.target
