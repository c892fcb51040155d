SELECT audit_id, chain_hash FROM audit_log WHERE audit_id = ANY ($1::bigint[])
