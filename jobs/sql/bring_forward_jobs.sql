-- At most :jobs_max of each sort; leased ones stay. Ordered jobs have an index of their own.
-- takes kind text, target text, now timestamptz, jobs_max bigint
WITH in_any_order AS (
    SELECT ctid AS place
    FROM jobs
    WHERE kind = :kind AND target = :target AND state = 'ready' AND ordering_key IS NULL
      AND run_at > :now AND locked_until IS NULL
    ORDER BY run_at, id
    LIMIT :jobs_max
    FOR UPDATE SKIP LOCKED
), in_order AS (
    SELECT ctid AS place
    FROM jobs
    WHERE kind = :kind AND target = :target AND state = 'ready' AND ordering_key IS NOT NULL
      AND run_at > :now AND locked_until IS NULL
    ORDER BY run_at, id
    LIMIT :jobs_max
    FOR UPDATE SKIP LOCKED
)
UPDATE jobs j
SET run_at = :now
FROM (SELECT place FROM in_any_order UNION ALL SELECT place FROM in_order) AS waiting
WHERE j.ctid = waiting.place
