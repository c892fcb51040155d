-- takes token_sha256 bytea
-- gives principal text, role text
SELECT principal, role
FROM api_tokens
WHERE token_sha256 = :token_sha256 AND revoked_at IS NULL
  AND (expires_at IS NULL OR expires_at > clock_timestamp())
