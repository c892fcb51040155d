INSERT INTO workflow_runs (workflow, key, signal_key, lane, step, status, state, wake_at,
                           correlation_id, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, 'running', $6::jsonb, $7, $8, $7, $7)
ON CONFLICT (workflow, key) DO NOTHING
