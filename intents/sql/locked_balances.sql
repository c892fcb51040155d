-- $1 accounts, $2 currencies: pairs. Rows that are there, and that somebody else has locked.
SELECT account, currency FROM locked_balances($1::text[], $2::text[])
