-- $1 id, $2 target, $3 what time it is, $4 why.
UPDATE jobs
SET state = 'discarded', done_at = $3::timestamptz, lease = lease + 1, locked_until = NULL,
    last_error = coalesce(last_error || '; ', '') || 'discarded by an operator: ' || $4
WHERE id = $1 AND target = $2
