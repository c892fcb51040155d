-- The roots of the captures above :after_id. A payment is captured as one ("" after its root),
-- under ids (":") or as a total ("@"). An operator's repetition ("#") has no shape.
-- takes limit_rows bigint, after_id bigint
-- gives {{breach}}
SELECT 'payment ' || recent.root AS subject,
       'has captures of ' || count(DISTINCT family.mark) || ' shapes: '
       || string_agg(DISTINCT family.effect_key, ', ') AS what
FROM (SELECT DISTINCT key_stem(t.effect_key) AS root FROM transfers t
      WHERE t.id > :after_id AND t.effect_key LIKE '%/capture/%') AS recent
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
LIMIT :limit_rows
