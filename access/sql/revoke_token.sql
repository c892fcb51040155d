UPDATE api_tokens SET revoked_at = clock_timestamp() WHERE token_id = $1 AND revoked_at IS NULL
