INSERT INTO orders (order_id, amount, currency, account, gateway, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $6)
ON CONFLICT (order_id) DO NOTHING
RETURNING order_id, amount, currency, account, gateway, version, attempts, created_at, updated_at
