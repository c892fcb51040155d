-- takes after_account text, after_currency text, limit_rows bigint
-- gives {{balance}}
SELECT {{balance}}
FROM balances
WHERE (account, currency) > (:after_account, :after_currency)
ORDER BY account, currency
LIMIT :limit_rows
