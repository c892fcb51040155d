UPDATE idempotency_keys
SET status = $2, headers = $3, body = $4, answered_at = $5
WHERE subject = $1 AND status IS NULL
