-- All transfers of a payment, each with its reversal.
-- takes payment_key text
-- gives {{posted}}
SELECT t.id, t.effect_key, t.debit_account, t.credit_account, t.currency, t.amount, t.payment_key,
       t.entry_id, t.reverses, t.corrects, r.id AS reversed_by
FROM transfers_of_root(:payment_key) AS t
LEFT JOIN transfers r ON r.reverses = t.id
ORDER BY t.id
