-- Until a webhook or the gateway has confirmed what an operator reported.
SELECT 'call ' || key, 'was resolved by force at ' || to_char(forced_at, 'YYYY-MM-DD HH24:MI:SS')
FROM external_calls
WHERE forced_at IS NOT NULL
ORDER BY forced_at
LIMIT $1
