-- takes principal text, route text, key text, status integer, headers bytea, body bytea,
--       now timestamptz
UPDATE idempotency_keys
SET status = :status, headers = :headers, body = :body, answered_at = :now
WHERE principal = :principal AND route = :route AND key = :key AND status IS NULL
