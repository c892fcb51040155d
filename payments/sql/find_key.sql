SELECT fingerprint, subject, wait_until, expires_at, status, coalesce(headers, ''), body
FROM idempotency_keys
WHERE principal = $1 AND route = $2 AND key = $3
