UPDATE orders
SET amount = $2, currency = $3, account = $4, gateway = $5, updated_at = $6,
    version = version + 1
WHERE order_id = $1
RETURNING order_id, amount, currency, account, gateway, version, attempts, created_at, updated_at
