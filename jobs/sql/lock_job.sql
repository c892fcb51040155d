SELECT CASE WHEN state = 'ready' AND locked_until > clock_timestamp() THEN 'running' ELSE state END
FROM jobs
WHERE id = $1 AND target = $2
FOR UPDATE
