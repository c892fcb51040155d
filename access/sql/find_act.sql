-- $1 subject, $2 id of the act: the details of its entry. A subject has few entries.
SELECT details::text
FROM audit_log
WHERE subject = $1 AND details->>'act_id' = $2
ORDER BY audit_id DESC
LIMIT 1
