-- Over since before $1, the oldest first, at most $2. By their place,
-- as in claim_jobs.sql.
DELETE FROM jobs j
USING (SELECT ctid AS place
       FROM jobs
       WHERE state IN ('done', 'discarded') AND done_at < $1::timestamptz
       ORDER BY done_at
       LIMIT $2
       FOR UPDATE SKIP LOCKED) AS over
WHERE j.ctid = over.place
