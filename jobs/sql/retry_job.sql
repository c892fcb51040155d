-- A discarded job may be retried too.
-- takes id bigint, target text, now timestamptz, reason text
WITH discarded AS (
    DELETE FROM jobs_done WHERE id = :id AND target = :target AND state = 'discarded' RETURNING *
), back AS (
    INSERT INTO jobs (id, run_at, staged_at, lease, kind, target, ordering_key, payload,
                      correlation_id, last_error)
    SELECT id, :now, staged_at, lease + 1, kind, target, ordering_key, payload,
           correlation_id,
           coalesce(last_error || '; ', '') || 'tried again by an operator: ' || :reason
    FROM discarded
)
UPDATE jobs
SET state = 'ready', run_at = :now, attempts = 0, crashes = 0, lease = lease + 1,
    locked_until = NULL, done_at = NULL,
    last_error = coalesce(last_error || '; ', '') || 'tried again by an operator: ' || :reason
WHERE id = :id AND target = :target
