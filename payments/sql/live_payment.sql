-- The payment that stands in the way of another one: live, or paid.
SELECT payment_id, order_id, attempt, key, gateway, books, state, note, amount, currency, account,
       payment_method, reference, next_action, action_deadline, captured, overpaid,
       cancel_requested, correlation_id, created_at, updated_at
FROM payments
WHERE order_id = $1 AND state NOT IN ('declined', 'failed', 'canceled')
ORDER BY overpaid, attempt
LIMIT 1
