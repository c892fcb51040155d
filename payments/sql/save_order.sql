UPDATE orders
SET state = $2, captured = $3, returned = $4
WHERE order_id = $1
  AND (state, captured, returned) IS DISTINCT FROM ($2::text, $3::bigint, $4::bigint)
