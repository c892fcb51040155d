-- $1 effect keys
SELECT t.effect_key, t.debit_account, t.credit_account, t.currency, t.amount,
       coalesce(t.provider, ''), coalesce(t.event_id, ''), t.sequence, t.posted_at,
       t.payment_id, t.refund_id
FROM transfers t
WHERE t.effect_key = ANY ($1::text[])
