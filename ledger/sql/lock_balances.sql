-- $1 accounts, $2 currencies: pairs, sorted. Locked one by one, in the order in which they are
-- given, so that two batches never wait for each other in a circle: a subquery that locks is never
-- joined in another order.
SELECT b.account, b.currency, b.amount, b.last_event_sequence, b.late_count, b.version,
       b.absolute
FROM unnest($1::text[], $2::text[]) AS wanted (account, currency)
CROSS JOIN LATERAL (
    SELECT * FROM balances own
    WHERE own.account = wanted.account AND own.currency = wanted.currency
    FOR UPDATE) AS b
