-- An operator's hand: whoever works on the run now has lost it.
UPDATE workflow_runs SET lease = lease + 1, locked_until = NULL
WHERE run_id = $1
RETURNING run_id, workflow, key, signal_key, step, state, lease, attempts, correlation_id,
          created_at, status
