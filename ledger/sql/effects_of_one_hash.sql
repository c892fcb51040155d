-- From these keys, each given once: those that share their hash with another, and the first of each
-- hash.
-- takes effect_key text[]
-- gives effect_key text, first text
SELECT sharing.effect_key, sharing.first
FROM (SELECT effect_key, min(effect_key) OVER same AS first, count(*) OVER same AS keys
      FROM unnest(:effect_key) AS wanted (effect_key)
      WINDOW same AS (PARTITION BY key_hash(effect_key))) AS sharing
WHERE sharing.keys > 1
