-- takes effect_key text[]
-- gives effect_key text, occurred_at timestamptz
SELECT r.effect_key, r.occurred_at
FROM unnest(:effect_key) AS wanted (effect_key)
CROSS JOIN LATERAL (
    SELECT * FROM effect_reports own
    WHERE own.effect_key = wanted.effect_key
    LIMIT 1000) AS r
