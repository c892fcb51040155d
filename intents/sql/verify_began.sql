-- The highest number of each chained table, and the number of its rows without a chain.
-- gives transfer_id bigint, unchained_transfers bigint, audit_id bigint, unchained_audit bigint
SELECT coalesce((SELECT max(id) FROM transfers), 0) AS transfer_id,
       (SELECT count(*) FROM transfers WHERE chain_prev IS NULL AND chain_hash IS NULL)
         AS unchained_transfers,
       coalesce((SELECT max(audit_id) FROM audit_log), 0) AS audit_id,
       (SELECT count(*) FROM audit_log WHERE chain_prev IS NULL AND chain_hash IS NULL)
         AS unchained_audit
