SELECT payment_id, order_id, attempt, key, gateway, books, state, note, amount, currency, account,
       payment_method, reference, next_action, action_deadline, captured, overpaid,
       cancel_requested, correlation_id, created_at, updated_at, coalesce(capturable, 0),
       coalesce(returned, 0), capture_before, manual_capture, customer, return_url, off_session
FROM payments
WHERE key = $1
