-- takes order_id text, state text, captured bigint, returned bigint, now timestamptz
UPDATE orders
SET state = :state, captured = :captured, returned = :returned, updated_at = :now
WHERE order_id = :order_id
  AND (state, captured, returned) IS DISTINCT FROM (:state, :captured, :returned)
