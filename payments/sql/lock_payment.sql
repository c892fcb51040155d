SELECT payment_id, order_id, attempt, key, gateway, books, state, note, amount, currency, account,
       payment_method, reference, next_action, action_deadline, captured, overpaid,
       cancel_requested, correlation_id, created_at, updated_at
FROM payments
WHERE payment_id = $1
FOR NO KEY UPDATE
