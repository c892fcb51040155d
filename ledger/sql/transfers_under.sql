SELECT t.id, t.effect_key, t.debit_account, t.credit_account, t.currency, t.amount, t.payment_key,
       t.entry_id, t.reverses, t.corrects, r.id
FROM transfers t
LEFT JOIN transfers r ON r.reverses = t.id
WHERE t.payment_key = $1
ORDER BY t.id
