-- Above $1 and up to $2, at most $3, in the order of their numbers. From the fourth column on they
-- are what a link covers, in the order in which ledger/chained writes them.
SELECT id, chain_prev, chain_hash,
       effect_key, payment_key, debit_account, credit_account, currency, amount, provider, event_id,
       payment_id, refund_id, entry_id, reverses, corrects, source, reason, sequence, occurred_at,
       posted_at
FROM transfers
WHERE id > $1 AND id <= $2
ORDER BY id
LIMIT $3
