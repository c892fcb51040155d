SELECT order_id
FROM orders
WHERE order_id = (SELECT order_id FROM payments WHERE payment_id = $1)
FOR NO KEY UPDATE
