-- The key is derived from order and number, and from nothing else (outbound/keys).
INSERT INTO refunds (refund_id, payment_id, order_id, n, key, state, amount, currency,
                     correlation_id, created_at, updated_at)
VALUES ($1, $2, $3::text, $4::integer, 'refund:' || $3::text || ':' || $4::integer, 'created',
        $5, $6, $7, $8, $8)
RETURNING refund_id, payment_id, order_id, n, key, state, note, amount, currency, reference,
       correlation_id, created_at, updated_at
