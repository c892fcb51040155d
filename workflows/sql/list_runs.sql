-- Newest first, before run $6 (0: the newest).
SELECT run_id, workflow, key, lane, step, status, note, wake_at, attempts, correlation_id,
       created_at, done_at
FROM workflow_runs
WHERE ($1::text IS NULL OR workflow = $1)
  AND ($2::text IS NULL OR status = $2)
  AND ($3::text IS NULL OR strpos(key || ' ' || coalesce(signal_key, '') || ' ' ||
                                  correlation_id, $3) > 0)
  AND ($4::timestamptz IS NULL OR created_at >= $4)
  AND ($5::timestamptz IS NULL OR created_at < $5)
  AND ($6::bigint = 0 OR run_id < $6)
ORDER BY run_id DESC
LIMIT $7
