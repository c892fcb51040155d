-- takes payment_id text
-- gives {{payment}}
SELECT {{payment}}
FROM payments
WHERE payment_id = :payment_id
FOR NO KEY UPDATE
