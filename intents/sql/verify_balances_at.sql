-- Balances behind ($1, $2), at most $3 of them, as they were when transfer $4 was the last one.
WITH piece AS (
    SELECT account, currency, amount
    FROM balances
    WHERE (account, currency) > ($1, $2)
    ORDER BY account, currency
    LIMIT $3),
later AS (
    SELECT account, currency, sum(amount) AS amount
    FROM (SELECT credit_account AS account, currency, amount FROM transfers WHERE id > $4
          UNION ALL
          SELECT debit_account, currency, -amount FROM transfers WHERE id > $4) AS sides
    GROUP BY account, currency)
SELECT piece.account, piece.currency, piece.amount - coalesce(later.amount, 0), piece.amount
FROM piece
LEFT JOIN later USING (account, currency)
ORDER BY piece.account, piece.currency
