-- takes order_id text
-- gives refunds integer
UPDATE orders SET refunds = refunds + 1 WHERE order_id = :order_id RETURNING refunds
