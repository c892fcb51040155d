INSERT INTO payments (payment_id, order_id, attempt, key, gateway, books, state, amount, currency,
                      account, payment_method, correlation_id, created_at, updated_at,
                      manual_capture, customer, return_url, off_session, capturable, returned)
VALUES ($1, $2, $3, $4, $5, $6, 'created', $7, $8, $9, $10, $11, $12, $12, $13, $14, $15, $16, 0, 0)
RETURNING payment_id, order_id, attempt, key, gateway, books, state, note, amount, currency,
          account, payment_method, reference, next_action, action_deadline, captured, overpaid,
          cancel_requested, correlation_id, created_at, updated_at, capturable, returned,
          capture_before, manual_capture, customer, return_url, off_session
