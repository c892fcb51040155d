-- $1 effect keys
SELECT r.effect_key, r.occurred_at
FROM unnest($1::text[]) AS wanted (effect_key)
CROSS JOIN LATERAL (
    SELECT * FROM effect_reports own
    WHERE own.effect_key = wanted.effect_key
    LIMIT 1000) AS r
