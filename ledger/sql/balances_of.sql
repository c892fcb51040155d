SELECT account, currency, amount, last_event_sequence, late_count, version
FROM balances
WHERE account = $1
ORDER BY currency
