-- Newest first, before the given id (0: the newest)
SELECT audit_id, at, principal, action, subject, reason, details::text
FROM audit_log
WHERE $1::bigint = 0 OR audit_id < $1
ORDER BY audit_id DESC
LIMIT $2
