-- takes principal text, route text, key text
-- gives fingerprint bytea, subject text, wait_until timestamptz, expires_at timestamptz,
--       status integer null, headers bytea null, body bytea null
SELECT fingerprint, subject, wait_until, expires_at, status, headers, body
FROM idempotency_keys
WHERE principal = :principal AND route = :route AND key = :key
