SELECT principal, role
FROM api_tokens
WHERE token_sha256 = $1::bytea AND revoked_at IS NULL
  AND (expires_at IS NULL OR expires_at > clock_timestamp())
