UPDATE orders SET refunds = refunds + 1 WHERE order_id = $1 RETURNING refunds
