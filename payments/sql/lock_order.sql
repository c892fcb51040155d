SELECT order_id, amount, currency, account, gateway, version, attempts, created_at, updated_at
FROM orders
WHERE order_id = $1
FOR NO KEY UPDATE
