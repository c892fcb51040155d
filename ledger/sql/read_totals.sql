-- The caller holds their advisory locks.
-- takes effect_key text[]
-- gives effect_key text, account text, currency text, total bigint, last_sequence bigint null
SELECT t.effect_key, t.account, t.currency, t.total, t.last_sequence
FROM unnest(:effect_key) AS wanted (effect_key)
CROSS JOIN LATERAL (
    SELECT * FROM running_totals own
    WHERE own.effect_key = wanted.effect_key
    LIMIT 1) AS t
