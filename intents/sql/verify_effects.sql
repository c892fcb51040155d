-- The unique index proves it, if its hash is intact: equal texts have one hash. A deep verification
-- reads the table itself, by no index.
-- takes limit_rows bigint
-- gives {{breach}}
SELECT 'index transfers_effect_key' AS subject,
       'is missing, not valid, or not over the SHA-256 of the key' AS what
WHERE key_hash('pawl') <> '\x9b12b8e4295d095ce55e51543de39e'::bytea
   OR NOT EXISTS (
    SELECT FROM pg_index x
    WHERE x.indexrelid = to_regclass('transfers_effect_key') AND x.indrelid = 'transfers'::regclass
      AND x.indisunique AND x.indisvalid AND x.indpred IS NULL AND x.indnkeyatts = 1
      AND replace(pg_get_expr(x.indexprs, x.indrelid), 'pawl.', '') = 'key_hash(effect_key)')
UNION ALL
(SELECT min(effect_key), 'was posted ' || count(*) || ' times'
 FROM transfers
 WHERE current_setting('pawl.verify_deep', true) = 'on'
 GROUP BY effect_key || ''
 HAVING count(*) > 1)
LIMIT :limit_rows
