-- takes payment_id text
-- gives ignored
SELECT order_id
FROM orders
WHERE order_id = (SELECT order_id FROM payments WHERE payment_id = :payment_id)
FOR NO KEY UPDATE
