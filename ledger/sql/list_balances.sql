SELECT account, currency, amount, last_event_sequence, late_count, version
FROM balances
WHERE (account, currency) > ($1, $2)
ORDER BY account, currency
LIMIT $3
