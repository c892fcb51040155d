-- takes principal text, route text, key text
DELETE FROM idempotency_keys
WHERE principal = :principal AND route = :route AND key = :key AND status IS NULL
