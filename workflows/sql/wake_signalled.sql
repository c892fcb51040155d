-- Runs that were signaled wake now; finished ones at the step that their workflow names for it
-- (:workflow, :step). A run under a lease sees the signal by itself, or is woken next time. Found
-- one by one, by key, then by place; :limit_rows keys at a time, after :signal_key, so that signals
-- without a run hold up no others. Gives the last key that was looked at.
-- takes now timestamptz, workflow text[], step text[], signal_key text, limit_rows bigint
-- gives last_key text null, keys bigint
WITH signalled AS MATERIALIZED (
    SELECT DISTINCT signal_key FROM workflow_signals
    WHERE taken_at IS NULL AND signal_key > :signal_key
    ORDER BY signal_key LIMIT :limit_rows),
found AS (
    SELECT known.place, late.step
    FROM signalled
    CROSS JOIN LATERAL (
        SELECT own.ctid AS place, own.workflow FROM workflow_runs own
        WHERE own.signal_key = signalled.signal_key
          AND (own.status <> 'running' OR own.wake_at > :now)
          AND (own.locked_until IS NULL OR own.locked_until < clock_timestamp())
        LIMIT 1
        FOR UPDATE SKIP LOCKED) AS known
    LEFT JOIN unnest(:workflow, :step) AS late (workflow, step)
      ON late.workflow = known.workflow),
woken AS (
    UPDATE workflow_runs AS run
    SET wake_at = :now, locked_until = NULL, updated_at = :now, status = 'running', done_at = NULL,
        step = CASE WHEN run.status = 'running' THEN run.step
                    ELSE coalesce(found.step, run.step) END
    FROM found
    WHERE run.ctid = found.place)
SELECT max(signal_key) AS last_key, count(*) AS keys FROM signalled
