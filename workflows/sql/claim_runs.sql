-- $1: lane, $2: now, $3: how many, $4: seconds. Leases go by the database's clock: those who work
-- on runs may have clocks that differ. The rows are locked, and found again by their place (ctid).
WITH due AS (
    SELECT ctid AS place FROM workflow_runs
    WHERE lane = $1 AND status = 'running' AND wake_at <= $2
      AND (locked_until IS NULL OR locked_until < clock_timestamp())
    ORDER BY wake_at
    LIMIT $3
    FOR UPDATE SKIP LOCKED)
UPDATE workflow_runs AS run
SET lease = run.lease + 1, attempts = run.attempts + 1,
    locked_until = clock_timestamp() + $4::bigint * interval '1 second'
FROM due
WHERE run.ctid = due.place
RETURNING run.run_id, run.workflow, run.key, run.signal_key, run.step, run.state, run.lease,
          run.attempts, run.correlation_id, run.created_at
