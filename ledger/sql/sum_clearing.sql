-- takes account text
-- gives {{balance}}
SELECT :account AS account, currency,
       sum(CASE WHEN credit_account = :account THEN amount ELSE -amount END)::bigint AS amount,
       NULL::bigint AS last_event_sequence, 0::bigint AS late_count, 0::bigint AS version
FROM transfers
WHERE credit_account = :account OR debit_account = :account
GROUP BY currency
ORDER BY currency
