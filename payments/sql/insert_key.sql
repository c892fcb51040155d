INSERT INTO idempotency_keys (principal, route, key, fingerprint, subject, wait_until, created_at,
                              expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (principal, route, key) DO NOTHING
