-- Newest first, after the last row of the page before, if any.
-- takes state text null, kind text null, target text null, correlation_id text null,
--       from_time timestamptz null, to_time timestamptz null, before_id bigint null,
--       before_target text null, limit_rows bigint
-- gives {{listed_job}}
(SELECT id, target, kind,
        CASE WHEN state = 'ready' AND locked_until IS NOT NULL THEN 'running' ELSE state END
          AS state,
        correlation_id, attempts, run_at, staged_at, done_at, last_error, payload
 FROM jobs
 WHERE (:state IS NULL OR CASE :state
            WHEN 'running' THEN state = 'ready' AND locked_until IS NOT NULL
            WHEN 'ready' THEN state = 'ready' AND locked_until IS NULL
            ELSE state = :state END)
   AND (:kind IS NULL OR kind = :kind)
   AND (:target IS NULL OR target = :target)
   AND (:correlation_id IS NULL OR correlation_id = :correlation_id)
   AND (:from_time IS NULL OR staged_at >= :from_time)
   AND (:to_time IS NULL OR staged_at < :to_time)
   AND (:before_id IS NULL OR (id, target) < (:before_id, :before_target))
 ORDER BY id DESC, target DESC
 LIMIT :limit_rows)
UNION ALL
(SELECT {{listed_job}}
 FROM jobs_done
 WHERE (:state IS NULL OR state = :state)
   AND (:kind IS NULL OR kind = :kind)
   AND (:target IS NULL OR target = :target)
   AND (:correlation_id IS NULL OR correlation_id = :correlation_id)
   AND (:from_time IS NULL OR staged_at >= :from_time)
   AND (:to_time IS NULL OR staged_at < :to_time)
   AND (:before_id IS NULL OR (id, target) < (:before_id, :before_target))
 ORDER BY id DESC, target DESC
 LIMIT :limit_rows)
ORDER BY id DESC, target DESC
LIMIT :limit_rows
