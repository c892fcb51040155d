-- The payment that prevents another one: live, or paid.
-- takes order_id text
-- gives {{payment}}
SELECT {{payment}}
FROM payments
WHERE order_id = :order_id AND state NOT IN ('declined', 'failed', 'canceled')
ORDER BY overpaid, attempt
LIMIT 1
