-- takes workflow text, key text, signal_key text null, lane text, step text, state jsonb,
--       now timestamptz, correlation_id text
INSERT INTO workflow_runs (workflow, key, signal_key, lane, step, status, state, wake_at,
                           correlation_id, created_at, updated_at)
VALUES (:workflow, :key, :signal_key, :lane, :step, 'running', :state, :now, :correlation_id,
        :now, :now)
ON CONFLICT (workflow, key) DO NOTHING
