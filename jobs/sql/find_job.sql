-- takes id bigint, target text
-- gives {{listed_job}}
SELECT id, target, kind,
       CASE WHEN state = 'ready' AND locked_until IS NOT NULL THEN 'running' ELSE state END
         AS state,
       correlation_id, attempts, run_at, staged_at, done_at, last_error, payload
FROM jobs
WHERE id = :id AND target = :target
UNION ALL
SELECT {{listed_job}}
FROM jobs_done
WHERE id = :id AND target = :target
LIMIT 1
