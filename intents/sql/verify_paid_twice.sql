SELECT 'order ' || order_id, count(*) || ' attempts were paid: ' || string_agg(payment_id, ', ')
FROM payments
WHERE state IN ('succeeded', 'refunded', 'partially_refunded', 'disputed')
GROUP BY order_id
HAVING count(*) > 1
LIMIT $1
