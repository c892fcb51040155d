SELECT id, target, kind,
       CASE WHEN state = 'ready' AND locked_until IS NOT NULL THEN 'running' ELSE state END,
       correlation_id, attempts, run_at, staged_at, done_at, last_error, payload::text
FROM jobs
WHERE id = $1 AND target = $2
UNION ALL
SELECT id, target, kind, state, correlation_id, attempts, run_at, staged_at, done_at, last_error,
       payload::text
FROM jobs_done
WHERE id = $1 AND target = $2
LIMIT 1
