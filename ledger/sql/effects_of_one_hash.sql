-- $1 effect keys, each once: those that share their hash with another, and the first of each hash
SELECT sharing.effect_key, sharing.first
FROM (SELECT effect_key, min(effect_key) OVER same AS first, count(*) OVER same AS keys
      FROM unnest($1::text[]) AS wanted (effect_key)
      WINDOW same AS (PARTITION BY key_hash(effect_key))) AS sharing
WHERE sharing.keys > 1
