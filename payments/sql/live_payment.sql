-- The payment that is not closed: it can still be executed or captured.
SELECT payment_id, order_id, attempt, key, gateway, books, state, note, amount, currency, account,
       payment_method, reference, next_action, action_deadline, captured, overpaid,
       cancel_requested, correlation_id, created_at, updated_at, coalesce(capturable, 0),
       coalesce(returned, 0), capture_before, manual_capture, customer, return_url, off_session
FROM payments
WHERE order_id = $1
  AND (state IN ('created', 'calling', 'unknown', 'requires_action', 'processing', 'authorized',
                 'needs_review') OR capturable > 0)
ORDER BY overpaid, attempt
LIMIT 1
