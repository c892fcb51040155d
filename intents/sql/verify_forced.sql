-- Listed until a webhook or the gateway has confirmed the outcome that an operator reported.
-- takes limit_rows bigint
-- gives {{breach}}
SELECT 'call ' || key AS subject,
       'was resolved by force at ' || to_char(forced_at, 'YYYY-MM-DD HH24:MI:SS')
       || coalesce(': ' || note, '') AS what
FROM external_calls
WHERE forced_at IS NOT NULL
ORDER BY forced_at
LIMIT :limit_rows
