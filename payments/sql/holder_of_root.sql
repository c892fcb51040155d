-- The payment that holds root $1.
SELECT payment_id FROM payments WHERE payment_key = $1
