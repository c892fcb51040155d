-- The first statement of every transaction of a worker: locks its run, and renews its lease. No
-- row: another worker has claimed the run, or it is finished.
-- takes run_id bigint, lease bigint, lease_seconds bigint
-- gives step text, state jsonb, signal_key text null
UPDATE workflow_runs
SET locked_until = clock_timestamp() + :lease_seconds * interval '1 second'
WHERE run_id = :run_id AND lease = :lease AND status = 'running'
RETURNING step, state, signal_key
