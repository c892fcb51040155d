-- The movements that returned those under these keys. Found one by one, by key.
-- takes effect_key text[]
-- gives returns text, {{effect}}
SELECT wanted.effect_key AS returns, {{t.effect}}
FROM unnest(:effect_key) AS wanted (effect_key)
CROSS JOIN LATERAL (
    SELECT own.effect_key FROM returned_effects own
    WHERE own.returns = wanted.effect_key
    LIMIT 1000) AS r
CROSS JOIN LATERAL (
    SELECT * FROM transfers own
    WHERE key_hash(own.effect_key) = key_hash(r.effect_key) AND own.effect_key = r.effect_key
    LIMIT 1) AS t
ORDER BY t.id
