-- Under the order's lock. The number is never given twice, also where its payment came to nothing.
UPDATE orders SET attempts = attempts + 1 WHERE order_id = $1 RETURNING attempts
