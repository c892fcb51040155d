-- $5: lifetime in seconds, or NULL for a token that lives until it is revoked
INSERT INTO api_tokens (principal, role, token_sha256, hint, expires_at)
VALUES ($1, $2, $3::bytea, $4, clock_timestamp() + make_interval(secs => $5::bigint))
ON CONFLICT (token_sha256) DO NOTHING
