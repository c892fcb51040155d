-- takes token_id bigint
UPDATE api_tokens SET revoked_at = clock_timestamp()
WHERE token_id = :token_id AND revoked_at IS NULL
