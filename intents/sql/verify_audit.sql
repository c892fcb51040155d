-- In the order of their numbers. A link covers the columns from `principal` on, in the order in
-- which access/audit writes them; the next link covers the time.
-- takes after_id bigint, through_id bigint, limit_rows bigint
-- gives audit_id bigint, microseconds bigint, chain_prev bytea null, chain_hash bytea null,
--       principal text, action text, subject text, reason text, details text
SELECT audit_id, (extract(epoch FROM at) * 1000000)::bigint AS microseconds, chain_prev, chain_hash,
       principal, action, subject, reason, details::text
FROM audit_log
WHERE audit_id > :after_id AND audit_id <= :through_id
ORDER BY audit_id
LIMIT :limit_rows
