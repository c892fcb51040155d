-- The step failed in a way that says nothing about the payment: later again. Attempts stay counted.
-- takes run_id bigint, lease bigint, wake_at timestamptz, note text, now timestamptz
UPDATE workflow_runs
SET wake_at = :wake_at, note = :note, locked_until = NULL, updated_at = :now
WHERE run_id = :run_id AND lease = :lease AND status = 'running'
