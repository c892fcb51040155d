-- Rows that are there, and that another transaction has locked.
-- takes accounts text[], currencies text[]
-- gives account text, currency text
SELECT account, currency FROM locked_balances(accounts => :accounts, currencies => :currencies)
