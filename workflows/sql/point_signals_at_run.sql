-- From now on signals under this key find the run, and it works in this lane.
-- takes run_id bigint, signal_key text, lane text, state jsonb
UPDATE workflow_runs SET signal_key = :signal_key, lane = :lane,
state = :state WHERE run_id = :run_id
