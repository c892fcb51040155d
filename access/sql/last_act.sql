-- The latest entry about a subject.
-- takes subject text
-- gives at timestamptz, principal text, action text, details text
SELECT at, principal, action, details::text
FROM audit_log
WHERE subject = :subject
ORDER BY audit_id DESC
LIMIT 1
