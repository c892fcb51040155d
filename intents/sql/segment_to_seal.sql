-- The oldest that is not sealed, and the token of the one before it, where a newer one takes the
-- new events.
-- gives segment integer, token_before text
SELECT s.segment, coalesce(before.token, '') AS token_before
FROM segments s
LEFT JOIN segments before ON before.segment = s.segment - 1
WHERE s.sealed_at IS NULL AND EXISTS (SELECT FROM segments newer WHERE newer.segment > s.segment)
ORDER BY s.segment
LIMIT 1
