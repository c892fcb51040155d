-- $1 id, $2 target, $3 what time it is, $4 why.
WITH over AS (
    DELETE FROM jobs WHERE id = $1 AND target = $2 RETURNING *
)
INSERT INTO jobs_done (id, run_at, staged_at, done_at, lease, attempts, kind, target, ordering_key,
                       state, payload, correlation_id, last_error)
SELECT id, run_at, staged_at, $3::timestamptz, lease + 1, attempts, kind, target, ordering_key,
       'discarded', payload, correlation_id,
       coalesce(last_error || '; ', '') || 'discarded by an operator: ' || $4
FROM over
