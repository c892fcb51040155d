UPDATE idempotency_keys
SET status = $4, headers = $5, body = $6, answered_at = $7
WHERE principal = $1 AND route = $2 AND key = $3 AND status IS NULL
