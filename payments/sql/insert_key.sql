-- takes principal text, route text, key text, fingerprint bytea, subject text,
--       wait_until timestamptz, now timestamptz, expires_at timestamptz
INSERT INTO idempotency_keys (principal, route, key, fingerprint, subject, wait_until, created_at,
                              expires_at)
VALUES (:principal, :route, :key, :fingerprint, :subject, :wait_until, :now, :expires_at)
ON CONFLICT (principal, route, key) DO NOTHING
