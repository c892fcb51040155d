-- $1 effect keys: the movements that returned those under them. Found one by one, by key.
SELECT wanted.effect_key, t.effect_key, t.debit_account, t.credit_account, t.currency, t.amount,
       coalesce(t.provider, ''), coalesce(t.event_id, ''), t.sequence, t.posted_at,
       coalesce(t.payment_id, ''), coalesce(t.refund_id, ''), coalesce(t.payment_key, ''),
       t.occurred_at, t.id, coalesce(t.entry_id, '')
FROM unnest($1::text[]) AS wanted (effect_key)
CROSS JOIN LATERAL (
    SELECT own.effect_key FROM returned_effects own
    WHERE own.returns = wanted.effect_key
    LIMIT 1000) AS r
CROSS JOIN LATERAL (
    SELECT * FROM transfers own
    WHERE key_hash(own.effect_key) = key_hash(r.effect_key) AND own.effect_key = r.effect_key
    LIMIT 1) AS t
ORDER BY t.id
