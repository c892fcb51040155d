-- Runs that were signalled wake now; finished ones at the step that their workflow names for it ($2,
-- $3). One that is being worked on sees the signal by itself, or is woken next time. Found one by
-- one, by key, then by place; $5 at a time, after key $4: signals that nothing takes hold up no
-- others. Returns the last key that was looked at.
WITH signalled AS MATERIALIZED (
    SELECT DISTINCT signal_key FROM workflow_signals WHERE taken_at IS NULL AND signal_key > $4
    ORDER BY signal_key LIMIT $5),
found AS (
    SELECT known.place, late.step
    FROM signalled
    CROSS JOIN LATERAL (
        SELECT own.ctid AS place, own.workflow FROM workflow_runs own
        WHERE own.signal_key = signalled.signal_key
          AND (own.status <> 'running' OR own.wake_at > $1)
          AND (own.locked_until IS NULL OR own.locked_until < clock_timestamp())
        LIMIT 1
        FOR UPDATE SKIP LOCKED) AS known
    LEFT JOIN unnest($2::text[], $3::text[]) AS late (workflow, step)
      ON late.workflow = known.workflow),
woken AS (
UPDATE workflow_runs AS run
SET wake_at = $1, locked_until = NULL, updated_at = $1, status = 'running', done_at = NULL,
    step = CASE WHEN run.status = 'running' THEN run.step ELSE coalesce(found.step, run.step) END
FROM found
WHERE run.ctid = found.place)
SELECT coalesce(max(signal_key), ''), count(*) FROM signalled
