-- Above $1 and up to $2, at most $3, in the order of their numbers. From the fifth column on they
-- are what a link covers, in the order in which access/audit writes them; the second, the time in
-- microseconds, is covered by the next link.
SELECT audit_id, (extract(epoch FROM at) * 1000000)::bigint, chain_prev, chain_hash,
       principal, action, subject, reason, details::text
FROM audit_log
WHERE audit_id > $1 AND audit_id <= $2
ORDER BY audit_id
LIMIT $3
