UPDATE workflow_runs AS run
SET locked_until = clock_timestamp() + $3::bigint * interval '1 second'
FROM unnest($1::bigint[], $2::bigint[]) AS held (run_id, lease)
WHERE run.run_id = held.run_id AND run.lease = held.lease AND run.locked_until IS NOT NULL
RETURNING run.run_id
