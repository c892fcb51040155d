SELECT state
FROM jobs_done
WHERE id = $1 AND target = $2
FOR UPDATE
