UPDATE idempotency_keys
SET wait_until = $4
WHERE principal = $1 AND route = $2 AND key = $3 AND status IS NULL AND wait_until <= $5
