-- takes account text
-- gives {{balance}}
SELECT {{balance}}
FROM balances
WHERE account = :account
ORDER BY currency
