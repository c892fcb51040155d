-- Newest first, before entry :before_id (0: the newest).
-- takes from_time timestamptz null, to_time timestamptz null, before_id bigint, limit_rows bigint
-- gives audit_id bigint, at timestamptz, principal text, action text, subject text, reason text,
--       details text
SELECT audit_id, at, principal, action, subject, reason, details::text
FROM audit_log
WHERE (:from_time IS NULL OR at >= :from_time)
  AND (:to_time IS NULL OR at < :to_time)
  AND (:before_id = 0 OR audit_id < :before_id)
ORDER BY audit_id DESC
LIMIT :limit_rows
