-- The constraint proves it, and a deep verification reads the table itself, by no index.
SELECT 'constraint transfers_effect_key_key', 'is missing or not valid'
WHERE NOT EXISTS (
    SELECT FROM pg_constraint c
    JOIN pg_index x ON x.indexrelid = c.conindid
    WHERE c.conrelid = 'transfers'::regclass AND c.conname = 'transfers_effect_key_key'
      AND c.contype = 'u' AND x.indisunique AND x.indisvalid)
UNION ALL
(SELECT min(effect_key), 'was posted ' || count(*) || ' times'
 FROM transfers
 WHERE current_setting('pawl.verify_deep', true) = 'on'
 GROUP BY effect_key || ''
 HAVING count(*) > 1)
LIMIT $1
