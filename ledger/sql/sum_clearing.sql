SELECT $1::text, currency,
       sum(CASE WHEN credit_account = $1 THEN amount ELSE -amount END)::bigint, NULL::bigint,
       0::bigint, 0::bigint
FROM transfers
WHERE credit_account = $1 OR debit_account = $1
GROUP BY currency
ORDER BY currency
