-- Newest first, before run :before_id (0: the newest).
-- takes workflow text null, status text null, text text null, from_time timestamptz null,
--       to_time timestamptz null, before_id bigint, limit_rows bigint
-- gives run_id bigint, workflow text, key text, lane text, step text, status text, note text null,
--       wake_at timestamptz null, attempts integer, correlation_id text, created_at timestamptz,
--       done_at timestamptz null
SELECT run_id, workflow, key, lane, step, status, note, wake_at, attempts, correlation_id,
       created_at, done_at
FROM workflow_runs
WHERE (:workflow IS NULL OR workflow = :workflow)
  AND (:status IS NULL OR status = :status)
  AND (:text IS NULL OR strpos(key || ' ' || coalesce(signal_key, '') || ' ' ||
                                  correlation_id, :text) > 0)
  AND (:from_time IS NULL OR created_at >= :from_time)
  AND (:to_time IS NULL OR created_at < :to_time)
  AND (:before_id = 0 OR run_id < :before_id)
ORDER BY run_id DESC
LIMIT :limit_rows
