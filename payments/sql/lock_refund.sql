SELECT refund_id, payment_id, order_id, n, key, state, note, amount, currency, reference,
       correlation_id, created_at, updated_at
FROM refunds
WHERE refund_id = $1
FOR NO KEY UPDATE
