-- A key that is not among those asked for has the hash of one that is.
-- takes effect_key text[]
-- gives effect_key text, debit_account text, credit_account text, currency text, amount bigint,
--       provider text, event_id text, sequence bigint null, posted_at timestamptz,
--       payment_id text null, refund_id text null
SELECT t.effect_key, t.debit_account, t.credit_account, t.currency, t.amount,
       coalesce(t.provider, '') AS provider, coalesce(t.event_id, '') AS event_id, t.sequence,
       t.posted_at,
       t.payment_id, t.refund_id
FROM transfers t
WHERE key_hash(t.effect_key) = ANY (ARRAY (
    SELECT key_hash(wanted.effect_key) FROM unnest(:effect_key) AS wanted (effect_key)))
