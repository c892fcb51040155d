-- takes entry_id text
-- gives transfers bigint, last_transfer bigint, digest text
SELECT count(*) AS transfers, max(t.id) AS last_transfer, entry_digest(:entry_id) AS digest
FROM transfers t
WHERE t.entry_id = :entry_id
