-- Locked in the order of their key, so that two batches never wait for each other in a circle.
-- $1 accounts, $2 currencies: pairs, sorted.
SELECT b.account, b.currency, b.amount, b.last_event_sequence, b.late_count, b.version,
       b.absolute
FROM balances b
JOIN unnest($1::text[], $2::text[]) AS wanted (account, currency)
  ON b.account = wanted.account AND b.currency = wanted.currency
ORDER BY b.account COLLATE "C", b.currency COLLATE "C"
FOR UPDATE OF b
