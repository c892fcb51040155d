-- From now on signals under this key find the run, and it works in this lane.
UPDATE workflow_runs SET signal_key = $2, lane = $3, state = $4::jsonb WHERE run_id = $1
