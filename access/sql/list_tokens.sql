-- gives token_id bigint, principal text, role text, hint text, created_at text,
--       expires_at text null, revoked_at text null
SELECT token_id, principal, role, hint, created_at::timestamptz(0)::text,
       expires_at::timestamptz(0)::text, revoked_at::timestamptz(0)::text
FROM api_tokens
ORDER BY token_id
