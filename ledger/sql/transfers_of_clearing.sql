-- $2: before this id, or 0 for the newest. The newest of the journal are nearly all its own: they
-- are read in the order of their numbers until there are enough.
SELECT id, effect_key, debit_account, credit_account, currency, amount, provider, event_id,
       sequence, posted_at
FROM transfers
WHERE (credit_account = $1 OR debit_account = $1) AND ($2::bigint = 0 OR id < $2)
ORDER BY id DESC
LIMIT $3
