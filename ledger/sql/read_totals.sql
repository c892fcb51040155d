-- $1 effect keys. The caller holds their advisory locks.
SELECT t.effect_key, t.account, t.currency, t.total, t.last_sequence
FROM unnest($1::text[]) AS wanted (effect_key)
CROSS JOIN LATERAL (
    SELECT * FROM running_totals own
    WHERE own.effect_key = wanted.effect_key
    LIMIT 1) AS t
