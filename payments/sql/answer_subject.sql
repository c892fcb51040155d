-- takes subject text, status integer, headers bytea, body bytea, now timestamptz
UPDATE idempotency_keys
SET status = :status, headers = :headers, body = :body, answered_at = :now
WHERE subject = :subject AND status IS NULL
