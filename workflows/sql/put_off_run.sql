-- The step failed in a way that says nothing about the payment: later again. Attempts stay counted.
UPDATE workflow_runs
SET wake_at = $3, note = $4, locked_until = NULL, updated_at = $5
WHERE run_id = $1 AND lease = $2 AND status = 'running'
