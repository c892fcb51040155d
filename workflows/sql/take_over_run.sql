-- By an operator: a worker that has the run now loses it.
-- takes run_id bigint
-- gives {{run}}, status text
UPDATE workflow_runs SET lease = lease + 1, locked_until = NULL
WHERE run_id = :run_id
RETURNING {{run}}, status
