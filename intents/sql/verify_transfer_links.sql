SELECT id, chain_hash FROM transfers WHERE id = ANY ($1::bigint[])
