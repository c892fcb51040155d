-- $1 effect keys, and what they are without a total, an id or a repetition appended: what is posted
-- under them, and below them. A key that is neither has the hash of one that is. The hashes are
-- computed once, for both indexes.
WITH wanted AS (SELECT array_agg(key_hash(effect_key)) AS hashes
                FROM unnest($1::text[]) AS asked (effect_key))
SELECT t.effect_key, t.debit_account, t.credit_account, t.currency, t.amount,
       coalesce(t.provider, ''), coalesce(t.event_id, ''), t.sequence, t.posted_at,
       coalesce(t.payment_id, ''), coalesce(t.refund_id, ''), coalesce(t.payment_key, ''),
       t.occurred_at, t.id, coalesce(t.entry_id, '')
FROM transfers t
WHERE key_hash(t.effect_key) = ANY ((SELECT hashes FROM wanted)::bytea[])
UNION ALL
SELECT t.effect_key, t.debit_account, t.credit_account, t.currency, t.amount,
       coalesce(t.provider, ''), coalesce(t.event_id, ''), t.sequence, t.posted_at,
       coalesce(t.payment_id, ''), coalesce(t.refund_id, ''), coalesce(t.payment_key, ''),
       t.occurred_at, t.id, coalesce(t.entry_id, '')
FROM transfers t
WHERE key_hash(key_stem(t.effect_key)) = ANY ((SELECT hashes FROM wanted)::bytea[])
  AND key_stem(t.effect_key) <> t.effect_key
ORDER BY 14
