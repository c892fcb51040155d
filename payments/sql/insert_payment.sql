-- takes payment_id text, order_id text, attempt integer, key text, gateway text, books text,
--       amount bigint, currency text, account text, payment_method text null, correlation_id text,
--       now timestamptz, customer text null, return_url text null, off_session boolean,
--       manual_capture boolean
-- gives {{payment}}
INSERT INTO payments (payment_id, order_id, attempt, key, gateway, books, state, amount, currency,
                      account, payment_method, correlation_id, created_at, updated_at,
                      customer, return_url, off_session, manual_capture)
VALUES (:payment_id, :order_id, :attempt, :key, :gateway, :books, 'created', :amount, :currency,
        :account, :payment_method, :correlation_id, :now, :now, :customer, :return_url,
        :off_session, :manual_capture)
RETURNING {{payment}}
