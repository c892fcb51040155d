-- Runs that somebody signalled wake now; finished ones at the step that their workflow names for
-- it ($2, $3). One that is being worked on sees the signal by itself, or is woken next time.
WITH signalled AS (
    SELECT DISTINCT signal_key FROM workflow_signals WHERE taken_at IS NULL LIMIT 500),
found AS (
    SELECT run.run_id, late.step
    FROM signalled
    JOIN workflow_runs AS run USING (signal_key)
    LEFT JOIN unnest($2::text[], $3::text[]) AS late (workflow, step) USING (workflow)
    WHERE (run.status <> 'running' OR run.wake_at > $1)
      AND (run.locked_until IS NULL OR run.locked_until < clock_timestamp())
    FOR UPDATE OF run SKIP LOCKED)
UPDATE workflow_runs AS run
SET wake_at = $1, locked_until = NULL, updated_at = $1, status = 'running', done_at = NULL,
    step = CASE WHEN run.status = 'running' THEN run.step ELSE coalesce(found.step, run.step) END
FROM found
WHERE run.run_id = found.run_id
