-- $1 id, $2 target, $3 what time it is, $4 why. One that was discarded comes back.
WITH discarded AS (
    DELETE FROM jobs_done WHERE id = $1 AND target = $2 AND state = 'discarded' RETURNING *
), back AS (
    INSERT INTO jobs (id, run_at, staged_at, lease, kind, target, ordering_key, payload,
                      correlation_id, last_error)
    SELECT id, $3::timestamptz, staged_at, lease + 1, kind, target, ordering_key, payload,
           correlation_id,
           coalesce(last_error || '; ', '') || 'tried again by an operator: ' || $4
    FROM discarded
)
UPDATE jobs
SET state = 'ready', run_at = $3::timestamptz, attempts = 0, crashes = 0, lease = lease + 1,
    locked_until = NULL, done_at = NULL,
    last_error = coalesce(last_error || '; ', '') || 'tried again by an operator: ' || $4
WHERE id = $1 AND target = $2
