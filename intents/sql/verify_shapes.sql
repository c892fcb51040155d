-- The roots of the captures above $2: a payment is captured as one ("" after its root), under ids
-- (":") or as a total ("@"). An operator's repetition ("#") has no shape.
SELECT 'payment ' || recent.root,
       'has captures of ' || count(DISTINCT family.mark) || ' shapes: '
       || string_agg(DISTINCT family.effect_key, ', ')
FROM (SELECT DISTINCT key_stem(t.effect_key) AS root FROM transfers t
      WHERE t.id > $2 AND t.effect_key LIKE '%/capture/%') AS recent
CROSS JOIN LATERAL (
    SELECT t.effect_key, substr(t.effect_key, length(recent.root) + 1, 1) AS mark
    FROM transfers t
    WHERE key_hash(t.effect_key) = key_hash(recent.root) AND t.effect_key = recent.root
    UNION ALL
    SELECT t.effect_key, substr(t.effect_key, length(recent.root) + 1, 1)
    FROM transfers t
    WHERE key_hash(key_stem(t.effect_key)) = key_hash(recent.root)
      AND key_stem(t.effect_key) <> t.effect_key AND key_stem(t.effect_key) = recent.root)
    AS family
WHERE family.mark <> '#'
GROUP BY recent.root
HAVING count(DISTINCT family.mark) > 1
LIMIT $1
