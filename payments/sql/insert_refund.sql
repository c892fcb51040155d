INSERT INTO refunds (refund_id, payment_id, order_id, n, key, state, amount, currency,
                     correlation_id, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, 'created', $6, $7, $8, $9, $9)
RETURNING refund_id, payment_id, order_id, n, key, state, note, amount, currency, reference,
       correlation_id, created_at, updated_at
