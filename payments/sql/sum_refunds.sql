-- The amount that was refunded or may yet be: everything but refunds that failed.
-- takes payment_id text
-- gives amount bigint
SELECT coalesce(sum(amount), 0)::bigint AS amount
FROM refunds
WHERE payment_id = :payment_id AND state <> 'failed'
