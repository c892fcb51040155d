-- $1 effect keys. A key that is not among them has the hash of one that is.
SELECT t.effect_key, t.debit_account, t.credit_account, t.currency, t.amount,
       coalesce(t.provider, ''), coalesce(t.event_id, ''), t.sequence, t.posted_at,
       t.payment_id, t.refund_id, t.payment_key
FROM transfers t
WHERE key_hash(t.effect_key) = ANY (ARRAY (
    SELECT key_hash(wanted.effect_key) FROM unnest($1::text[]) AS wanted (effect_key)))
