-- takes id bigint[]
-- gives id bigint, chain_hash bytea null
SELECT id, chain_hash FROM transfers WHERE id = ANY (:id)
