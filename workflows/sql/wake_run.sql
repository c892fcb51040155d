-- Wakes the run that listens to a key. A run that needs review resumes at :step.
-- takes signal_key text, now timestamptz, step text
UPDATE workflow_runs
SET wake_at = least(wake_at, :now), updated_at = :now,
    step = CASE WHEN status = 'running' THEN step ELSE :step END, status = 'running'
WHERE signal_key = :signal_key AND status IN ('running', 'needs_review')
