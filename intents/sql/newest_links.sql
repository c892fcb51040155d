-- The links among the newest 1000 rows of the chained tables: those of the servers that run or ran
-- last.
-- gives chain_hash bytea
SELECT chain_hash
FROM (SELECT chain_hash FROM transfers ORDER BY id DESC LIMIT 1000) AS t
WHERE chain_hash IS NOT NULL
UNION
SELECT chain_hash
FROM (SELECT chain_hash FROM audit_log ORDER BY audit_id DESC LIMIT 1000) AS a
WHERE chain_hash IS NOT NULL
