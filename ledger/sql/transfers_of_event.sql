-- The transfers that an event has posted, found by the keys in its row.
-- takes provider text, event_id text, effect_key text[]
-- gives {{posted}}
SELECT t.id, t.effect_key, t.debit_account, t.credit_account, t.currency, t.amount, t.payment_key,
       t.entry_id, t.reverses, t.corrects, r.id AS reversed_by
FROM unnest(:effect_key) AS asked (effect_key)
JOIN transfers t ON key_hash(t.effect_key) = key_hash(asked.effect_key)
                AND t.effect_key = asked.effect_key
LEFT JOIN transfers r ON r.reverses = t.id
WHERE t.provider = :provider AND t.event_id = :event_id
ORDER BY t.id
