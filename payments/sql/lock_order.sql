-- takes order_id text
-- gives {{order}}
SELECT {{order}}
FROM orders
WHERE order_id = :order_id
FOR NO KEY UPDATE
