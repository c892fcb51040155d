-- takes refund_id text, payment_id text, order_id text, n integer, key text, amount bigint,
--       currency text, correlation_id text, now timestamptz
-- gives {{refund}}
INSERT INTO refunds (refund_id, payment_id, order_id, n, key, state, amount, currency,
                     correlation_id, created_at, updated_at)
VALUES (:refund_id, :payment_id, :order_id, :n, :key, 'created', :amount, :currency,
        :correlation_id, :now, :now)
RETURNING {{refund}}
