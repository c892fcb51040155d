-- In the order of their numbers. A link covers the columns from `effect_key` on, in the order in
-- which ledger/chained writes them.
-- takes after_id bigint, through_id bigint, limit_rows bigint
-- gives id bigint, chain_prev bytea null, chain_hash bytea null, effect_key text,
--       payment_key text null, debit_account text, credit_account text, currency text,
--       amount bigint, provider text null, event_id text null, payment_id text null,
--       refund_id text null, entry_id text null, reverses bigint null, corrects bigint null,
--       source text null, reason text null, sequence bigint null, occurred_at timestamptz null,
--       posted_at timestamptz
SELECT id, chain_prev, chain_hash,
       effect_key, payment_key, debit_account, credit_account, currency, amount, provider, event_id,
       payment_id, refund_id, entry_id, reverses, corrects, source, reason, sequence, occurred_at,
       posted_at
FROM transfers
WHERE id > :after_id AND id <= :through_id
ORDER BY id
LIMIT :limit_rows
