-- Under the order's lock. The number is never given twice, also where its payment came to nothing.
-- takes order_id text
-- gives attempts integer
UPDATE orders SET attempts = attempts + 1 WHERE order_id = :order_id RETURNING attempts
