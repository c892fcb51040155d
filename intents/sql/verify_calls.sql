-- The primary key proves it; a deep verification reads the table itself, by no index.
-- takes limit_rows bigint
-- gives {{breach}}
SELECT 'constraint external_calls_pkey' AS subject, 'is missing, or not over the key' AS what
WHERE NOT EXISTS (
    SELECT FROM pg_constraint c
    JOIN pg_index x ON x.indexrelid = c.conindid
    JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attname = 'key'
    WHERE c.conrelid = 'external_calls'::regclass AND c.contype = 'p' AND x.indisvalid
      AND c.conkey = ARRAY[a.attnum])
UNION ALL
(SELECT 'call ' || min(key), 'stands ' || count(*) || ' times'
 FROM external_calls
 WHERE current_setting('pawl.verify_deep', true) = 'on'
 GROUP BY key || ''
 HAVING count(*) > 1)
LIMIT :limit_rows
