-- :limit_rows balances behind (:after_account, :after_currency), as they were when transfer
-- :through_id was the last one.
-- takes after_account text, after_currency text, limit_rows bigint, through_id bigint
-- gives account text, currency text, amount_at bigint, amount bigint
WITH piece AS (
    SELECT account, currency, amount
    FROM balances
    WHERE (account, currency) > (:after_account, :after_currency)
    ORDER BY account, currency
    LIMIT :limit_rows),
later AS (
    SELECT account, currency, sum(amount) AS amount
    FROM (SELECT credit_account AS account, currency, amount FROM transfers WHERE id > :through_id
          UNION ALL
          SELECT debit_account, currency, -amount FROM transfers WHERE id > :through_id) AS sides
    GROUP BY account, currency)
SELECT piece.account, piece.currency, (piece.amount - coalesce(later.amount,
       0))::bigint AS amount_at,
       piece.amount
FROM piece
LEFT JOIN later USING (account, currency)
ORDER BY piece.account, piece.currency
