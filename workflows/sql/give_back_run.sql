-- Claimed and not begun: the claim is not counted.
UPDATE workflow_runs
SET locked_until = NULL, attempts = greatest(attempts - 1, 0)
WHERE run_id = $1 AND lease = $2 AND status = 'running'
