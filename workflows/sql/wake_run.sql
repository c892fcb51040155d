-- Wakes the run that listens to $1. One that needs review goes on at step $3.
UPDATE workflow_runs
SET wake_at = least(wake_at, $2), updated_at = $2,
    step = CASE WHEN status = 'running' THEN step ELSE $3 END, status = 'running'
WHERE signal_key = $1 AND status IN ('running', 'needs_review')
