-- takes payment_id text, order_id text, attempt integer, key text, gateway text, books text,
--       amount bigint, currency text, account text, payment_method text null, correlation_id text,
--       now timestamptz
-- gives {{payment}}
INSERT INTO payments (payment_id, order_id, attempt, key, gateway, books, state, amount, currency,
                      account, payment_method, correlation_id, created_at, updated_at)
VALUES (:payment_id, :order_id, :attempt, :key, :gateway, :books, 'created', :amount, :currency,
        :account, :payment_method, :correlation_id, :now, :now)
RETURNING {{payment}}
