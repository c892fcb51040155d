-- Pairs, sorted: locked in the order in which they are given.
-- takes accounts text[], currencies text[]
-- gives account text, currency text, amount bigint, last_event_sequence bigint null,
--       late_count bigint, version bigint, absolute boolean
SELECT account, currency, amount, last_event_sequence, late_count, version, absolute
FROM lock_balances(accounts => :accounts, currencies => :currencies)
