-- takes principal text, route text, key text, wait_until timestamptz, now timestamptz
UPDATE idempotency_keys
SET wait_until = :wait_until
WHERE principal = :principal AND route = :route AND key = :key AND status IS NULL
  AND wait_until <= :now
