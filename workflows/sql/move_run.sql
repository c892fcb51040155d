-- A recovery point. :wake_at is null if the run continues at once under the same lease, or is
-- finished. The lease is released unless the run continues.
-- takes run_id bigint, lease bigint, step text, status text, note text null,
--       wake_at timestamptz null, now timestamptz
UPDATE workflow_runs
SET step = :step, status = :status, note = :note, attempts = 0, updated_at = :now,
    wake_at = CASE WHEN :status = 'running' THEN coalesce(:wake_at, :now) END,
    locked_until = CASE WHEN :status = 'running' AND :wake_at IS NULL THEN locked_until END,
    done_at = CASE WHEN :status IN ('done', 'canceled') THEN :now END
WHERE run_id = :run_id AND lease = :lease
