-- Under the order's lock. Rows are never deleted: no number is given twice.
-- takes capture_id text, payment_id text, n integer, key text, amount bigint, final boolean,
--       correlation_id text, now timestamptz
-- gives {{capture}}
INSERT INTO captures (capture_id, payment_id, n, key, state, amount, final, correlation_id,
                      created_at, updated_at)
VALUES (:capture_id, :payment_id, :n, :key, 'created', :amount, :final, :correlation_id, :now, :now)
RETURNING {{capture}}
