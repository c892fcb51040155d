-- takes id bigint, target text, now timestamptz, reason text
WITH over AS (
    DELETE FROM jobs WHERE id = :id AND target = :target RETURNING *
)
INSERT INTO jobs_done (id, run_at, staged_at, done_at, lease, attempts, kind, target, ordering_key,
                       state, payload, correlation_id, last_error)
SELECT id, run_at, staged_at, :now, lease + 1, attempts, kind, target, ordering_key,
       'discarded', payload, correlation_id,
       coalesce(last_error || '; ', '') || 'discarded by an operator: ' || :reason
FROM over
