-- $1 kind, $2 target, $3 what time it is, $4 at most so many. Not those that somebody holds.
UPDATE jobs j
SET run_at = $3::timestamptz
FROM (SELECT id, target
      FROM jobs
      WHERE kind = $1 AND target = $2 AND state = 'ready' AND run_at > $3::timestamptz
        AND locked_until IS NULL
      ORDER BY id, target
      LIMIT $4
      FOR UPDATE SKIP LOCKED) AS waiting
WHERE j.id = waiting.id AND j.target = waiting.target
