-- Under the order's lock. The number is never reused, even if its payment ended without a capture.
-- takes order_id text
-- gives attempts integer
UPDATE orders SET attempts = attempts + 1 WHERE order_id = :order_id RETURNING attempts
