-- Found one by one, by key, and then by place: the LIMIT keeps the planner from any other join.
-- takes run_id bigint[], lease bigint[], lease_seconds bigint
-- gives run_id bigint
UPDATE workflow_runs AS run
SET locked_until = clock_timestamp() + :lease_seconds * interval '1 second'
FROM unnest(:run_id, :lease) AS held (run_id, lease)
CROSS JOIN LATERAL (
    SELECT own.ctid AS place FROM workflow_runs own WHERE own.run_id = held.run_id LIMIT 1) AS known
WHERE run.ctid = known.place AND run.run_id = held.run_id AND run.lease = held.lease
  AND run.locked_until IS NOT NULL
RETURNING run.run_id
