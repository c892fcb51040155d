-- A recovery point. $6: when it wakes; null where it goes on at once under the same lease, or is
-- finished. The lease is given back unless the run goes on.
UPDATE workflow_runs
SET step = $3, status = $4, note = $5, attempts = 0, updated_at = $7,
    wake_at = CASE WHEN $4 = 'running' THEN coalesce($6::timestamptz, $7) END,
    locked_until = CASE WHEN $4 = 'running' AND $6::timestamptz IS NULL THEN locked_until END,
    done_at = CASE WHEN $4 IN ('done', 'canceled') THEN $7::timestamptz END
WHERE run_id = $1 AND lease = $2
