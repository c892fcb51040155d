-- Of a payment: captures at its root and below it, and what belongs to it under other keys. Each
-- by its own index.
-- takes payment_key text
-- gives {{posted}}
SELECT t.id, t.effect_key, t.debit_account, t.credit_account, t.currency, t.amount, t.payment_key,
       t.entry_id, t.reverses, t.corrects, r.id AS reversed_by
FROM (SELECT * FROM transfers
      WHERE key_hash(effect_key) = key_hash(:payment_key) AND effect_key = :payment_key
        AND payment_key = :payment_key
      UNION ALL
      SELECT * FROM transfers
      WHERE key_hash(key_stem(effect_key)) = key_hash(:payment_key)
        AND key_stem(effect_key) <> effect_key AND payment_key = :payment_key
      UNION ALL
      SELECT * FROM transfers
      WHERE key_hash(payment_key) = key_hash(:payment_key)
        AND payment_key <> key_stem(effect_key) AND payment_key = :payment_key) AS t
LEFT JOIN transfers r ON r.reverses = t.id
ORDER BY t.id
