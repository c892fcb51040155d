-- takes audit_id bigint[]
-- gives id bigint, chain_hash bytea null
SELECT audit_id AS id, chain_hash FROM audit_log WHERE audit_id = ANY (:audit_id)
