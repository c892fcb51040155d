-- $1 kind, $2 target, $3 what time it is, $4 at most so many of each sort. Not those that somebody
-- holds. Those that keep an order have an index of their own.
WITH in_any_order AS (
    SELECT ctid AS place
    FROM jobs
    WHERE kind = $1 AND target = $2 AND state = 'ready' AND ordering_key IS NULL
      AND run_at > $3::timestamptz AND locked_until IS NULL
    ORDER BY run_at, id
    LIMIT $4
    FOR UPDATE SKIP LOCKED
), in_order AS (
    SELECT ctid AS place
    FROM jobs
    WHERE kind = $1 AND target = $2 AND state = 'ready' AND ordering_key IS NOT NULL
      AND run_at > $3::timestamptz AND locked_until IS NULL
    ORDER BY run_at, id
    LIMIT $4
    FOR UPDATE SKIP LOCKED
)
UPDATE jobs j
SET run_at = $3::timestamptz
FROM (SELECT place FROM in_any_order UNION ALL SELECT place FROM in_order) AS waiting
WHERE j.ctid = waiting.place
