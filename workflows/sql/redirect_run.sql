-- takes run_id bigint, step text, status text, note text, now timestamptz
UPDATE workflow_runs
SET step = :step, status = :status, note = :note, attempts = 0, updated_at = :now,
    wake_at = CASE WHEN :status = 'running' THEN :now END,
    done_at = CASE WHEN :status IN ('done', 'canceled') THEN :now END
WHERE run_id = :run_id
