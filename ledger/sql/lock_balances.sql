-- $1 accounts, $2 currencies: pairs, sorted. Locked in the order in which they are given.
SELECT account, currency, amount, last_event_sequence, late_count, version, absolute
FROM lock_balances($1::text[], $2::text[])
