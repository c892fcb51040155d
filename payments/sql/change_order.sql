-- takes order_id text, amount bigint, currency text, account text, gateway text null,
--       now timestamptz
-- gives {{order}}
UPDATE orders
SET amount = :amount, currency = :currency, account = :account, gateway = :gateway,
    updated_at = :now, version = version + 1
WHERE order_id = :order_id
RETURNING {{order}}
