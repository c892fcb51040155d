-- The payment that holds a root.
-- takes payment_key text
-- gives payment_id text
SELECT payment_id FROM payments WHERE payment_key = :payment_key
