UPDATE workflow_runs
SET step = $2, status = $3, note = $4, attempts = 0, updated_at = $5,
    wake_at = CASE WHEN $3 = 'running' THEN $5::timestamptz END,
    done_at = CASE WHEN $3 IN ('done', 'canceled') THEN $5::timestamptz END
WHERE run_id = $1
