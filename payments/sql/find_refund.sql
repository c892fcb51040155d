-- takes refund_id text
-- gives {{refund}}
SELECT {{refund}}
FROM refunds
WHERE refund_id = :refund_id
