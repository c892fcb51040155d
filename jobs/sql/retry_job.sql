-- $1 id, $2 target, $3 what time it is, $4 why.
UPDATE jobs
SET state = 'ready', run_at = $3::timestamptz, attempts = 0, crashes = 0, lease = lease + 1,
    locked_until = NULL, done_at = NULL,
    last_error = coalesce(last_error || '; ', '') || 'tried again by an operator: ' || $4
WHERE id = $1 AND target = $2
