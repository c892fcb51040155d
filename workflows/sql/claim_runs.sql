-- Leases go by the database's clock: those of workers may differ. The rows are
-- locked, and found again by their place (ctid).
-- takes lane text, now timestamptz, runs_max bigint, lease_seconds bigint
-- gives {{run}}
WITH due AS (
    SELECT ctid AS place FROM workflow_runs
    WHERE lane = :lane AND status = 'running' AND wake_at <= :now
      AND (locked_until IS NULL OR locked_until < clock_timestamp())
    ORDER BY wake_at
    LIMIT :runs_max
    FOR UPDATE SKIP LOCKED)
UPDATE workflow_runs AS run
SET lease = run.lease + 1, attempts = run.attempts + 1,
    locked_until = clock_timestamp() + :lease_seconds * interval '1 second'
FROM due
WHERE run.ctid = due.place
RETURNING {{run.run}}
