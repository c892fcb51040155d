-- Without a lifetime it lives until it is revoked.
-- takes principal text, role text, token_sha256 bytea, hint text, lifetime_seconds bigint null
INSERT INTO api_tokens (principal, role, token_sha256, hint, expires_at)
VALUES (:principal, :role, :token_sha256, :hint,
        clock_timestamp() + make_interval(secs => :lifetime_seconds))
ON CONFLICT (token_sha256) DO NOTHING
