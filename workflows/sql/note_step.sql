INSERT INTO workflow_steps (run_id, lease, step, went_to, note, at) VALUES ($1, $2, $3, $4, $5, $6)
