-- takes run_id bigint, lease bigint, step text, went_to text, note text null, now timestamptz
INSERT INTO workflow_steps (run_id, lease, step, went_to, note, at)
VALUES (:run_id, :lease, :step, :went_to, :note, :now)
