UPDATE idempotency_keys
SET fingerprint = $4, subject = $5, status = NULL, headers = NULL, body = NULL, wait_until = $6,
    created_at = $7, answered_at = NULL, expires_at = $8
WHERE principal = $1 AND route = $2 AND key = $3 AND status IS NOT NULL AND expires_at <= $7
