-- $1 accounts, $2 currencies: pairs. Rows that are there, and that somebody else has locked.
SELECT b.account, b.currency
FROM unnest($1::text[], $2::text[]) AS wanted (account, currency)
CROSS JOIN LATERAL (
    SELECT own.account, own.currency FROM balances own
    WHERE own.account = wanted.account AND own.currency = wanted.currency
    LIMIT 1) AS b
LEFT JOIN LATERAL (
    SELECT true AS ours FROM balances own
    WHERE own.account = wanted.account AND own.currency = wanted.currency
    FOR UPDATE SKIP LOCKED) AS free ON true
WHERE free.ours IS NULL
