-- takes limit_rows bigint
-- gives {{breach}}
WITH moved AS (
    SELECT account, currency, sum(amount) AS amount
    FROM (SELECT credit_account AS account, currency, amount FROM transfers
          UNION ALL
          SELECT debit_account, currency, -amount FROM transfers) AS sides
    WHERE account !~ ':clearing$'
    GROUP BY account, currency)
SELECT coalesce(b.account, m.account) || ' ' || coalesce(b.currency, m.currency) AS subject,
       'the balance is ' || coalesce(b.amount::text, 'missing') || ', its transfers sum up to '
       || coalesce(m.amount, 0) AS what
FROM balances b
FULL JOIN moved m ON m.account = b.account AND m.currency = b.currency
WHERE coalesce(b.amount, 0) <> coalesce(m.amount, 0) OR (b.account IS NULL)
LIMIT :limit_rows
