-- takes principal text, route text, key text, fingerprint bytea, subject text,
--       wait_until timestamptz, now timestamptz, expires_at timestamptz
UPDATE idempotency_keys
SET fingerprint = :fingerprint, subject = :subject, status = NULL, headers = NULL, body = NULL,
    wait_until = :wait_until, created_at = :now, answered_at = NULL, expires_at = :expires_at
WHERE principal = :principal AND route = :route AND key = :key AND status IS NOT NULL
  AND expires_at <= :now
