-- Without a lifetime it lives until it is revoked.
-- takes principal text, role text, token_sha256 bytea, hint text, lifetime_seconds bigint null
-- gives token_id bigint
INSERT INTO api_tokens (principal, role, token_sha256, hint, expires_at)
VALUES (:principal, :role, :token_sha256, :hint,
        clock_timestamp() + make_interval(secs => :lifetime_seconds))
RETURNING token_id
