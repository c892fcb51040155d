-- takes order_id text, amount bigint, currency text, account text, gateway text null,
--       now timestamptz
-- gives {{order}}
INSERT INTO orders (order_id, amount, currency, account, gateway, created_at, updated_at)
VALUES (:order_id, :amount, :currency, :account, :gateway, :now, :now)
ON CONFLICT (order_id) DO NOTHING
RETURNING {{order}}
