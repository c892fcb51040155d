-- takes payment_key text
-- gives disputed boolean
SELECT EXISTS (
    SELECT FROM disputes WHERE payment_key = :payment_key AND state = 'opened') AS disputed
