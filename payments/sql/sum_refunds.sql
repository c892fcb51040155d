-- What has gone back or may yet: everything but refunds that came to nothing.
SELECT coalesce(sum(amount), 0)::bigint
FROM refunds
WHERE payment_id = $1 AND state <> 'failed'
