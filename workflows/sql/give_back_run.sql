-- Claimed and not begun: the claim is not counted.
-- takes run_id bigint, lease bigint
UPDATE workflow_runs
SET locked_until = NULL, attempts = greatest(attempts - 1, 0)
WHERE run_id = :run_id AND lease = :lease AND status = 'running'
