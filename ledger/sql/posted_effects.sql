-- Effect keys, and what they are without a total, an id or a repetition appended: what is posted
-- under them, and below them. A key that is neither has the hash of one that is. The hashes are
-- computed once, for both indexes. `taken_back`: an operator has reversed it, and all that was
-- posted in its place by corrections. `corrected`: an operator has posted another in its place.
-- takes effect_key text[]
-- gives {{effect}}, taken_back boolean, corrected boolean
WITH wanted AS (SELECT array_agg(key_hash(asked.effect_key)) AS hashes
                FROM unnest(:effect_key) AS asked (effect_key))
SELECT {{t.effect}},
       CASE WHEN EXISTS (SELECT FROM transfers r WHERE r.reverses = t.id) THEN (
           WITH RECURSIVE place AS (
               SELECT t.id
               UNION ALL
               SELECT c.id FROM place p JOIN transfers c ON c.corrects = p.id)
           SELECT bool_and(EXISTS (
               SELECT FROM transfers r
               WHERE r.reverses = place.id
                 AND NOT EXISTS (SELECT FROM transfers again WHERE again.reverses = r.id)))
           FROM place)
       ELSE false END AS taken_back,
       EXISTS (SELECT FROM transfers c WHERE c.corrects = t.id) AS corrected
FROM (SELECT {{own.effect}}
      FROM transfers own
      WHERE key_hash(own.effect_key) = ANY ((SELECT hashes FROM wanted)::bytea[])
      UNION ALL
      SELECT {{own.effect}}
      FROM transfers own
      WHERE key_hash(key_stem(own.effect_key)) = ANY ((SELECT hashes FROM wanted)::bytea[])
        AND key_stem(own.effect_key) <> own.effect_key) AS t
ORDER BY t.id
