-- takes order_id text
-- gives {{payment}}
SELECT {{payment}}
FROM payments
WHERE order_id = :order_id
ORDER BY attempt
