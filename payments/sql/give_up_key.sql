DELETE FROM idempotency_keys
WHERE principal = $1 AND route = $2 AND key = $3 AND status IS NULL
