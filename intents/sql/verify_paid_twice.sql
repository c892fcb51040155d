-- takes limit_rows bigint
-- gives {{breach}}
SELECT 'order ' || order_id AS subject,
       count(*) || ' attempts were paid: ' || string_agg(payment_id, ', ') AS what
FROM payments
WHERE state IN ('succeeded', 'refunded', 'partially_refunded', 'disputed')
GROUP BY order_id
HAVING count(*) > 1
LIMIT :limit_rows
