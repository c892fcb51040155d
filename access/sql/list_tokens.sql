SELECT token_id, principal, role, hint, created_at::timestamptz(0)::text,
       expires_at::timestamptz(0)::text, revoked_at::timestamptz(0)::text
FROM api_tokens
ORDER BY token_id
