-- The first statement of every transaction of a worker: locks its run, and lengthens its lease.
-- No row: somebody else has taken the run over, or it is finished.
UPDATE workflow_runs
SET locked_until = clock_timestamp() + $3::bigint * interval '1 second'
WHERE run_id = $1 AND lease = $2 AND status = 'running'
RETURNING step, state, signal_key
