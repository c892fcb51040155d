-- $1 runs, $2 leases: pairs; $3 seconds. Found one by one, by key, and then by place: the LIMIT
-- keeps the planner from any other join.
UPDATE workflow_runs AS run
SET locked_until = clock_timestamp() + $3::bigint * interval '1 second'
FROM unnest($1::bigint[], $2::bigint[]) AS held (run_id, lease)
CROSS JOIN LATERAL (
    SELECT own.ctid AS place FROM workflow_runs own WHERE own.run_id = held.run_id LIMIT 1) AS known
WHERE run.ctid = known.place AND run.run_id = held.run_id AND run.lease = held.lease
  AND run.locked_until IS NOT NULL
RETURNING run.run_id
