-- Newest first, before entry $3 (0: the newest)
SELECT audit_id, at, principal, action, subject, reason, details::text
FROM audit_log
WHERE ($1::timestamptz IS NULL OR at >= $1)
  AND ($2::timestamptz IS NULL OR at < $2)
  AND ($3::bigint = 0 OR audit_id < $3)
ORDER BY audit_id DESC
LIMIT $4
