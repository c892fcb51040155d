-- Keys of payments: each with the beginning of the keys of its credits. Without a reference the
-- payment in it is not known yet.
-- takes key text[]
-- gives key text, root text, account text
SELECT p.key, coalesce(p.payment_key, p.books || '/capture/') AS root, p.account
FROM unnest(:key) AS wanted (key)
CROSS JOIN LATERAL (
    SELECT own.key, own.payment_key, own.books, own.account FROM payments own
    WHERE own.key = wanted.key
    LIMIT 1) AS p
