-- takes token_id bigint
-- gives principal text, role text
UPDATE api_tokens SET revoked_at = clock_timestamp()
WHERE token_id = :token_id AND revoked_at IS NULL
RETURNING principal, role
