-- takes payment_id text
-- gives {{refund}}
SELECT {{refund}}
FROM refunds
WHERE payment_id = :payment_id
ORDER BY n
