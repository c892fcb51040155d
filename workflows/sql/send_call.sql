-- A send counts from here on, whether it leaves or not.
-- takes key text, now timestamptz
UPDATE external_calls
SET sends = sends + 1, in_doubt = true, first_sent_at = coalesce(first_sent_at, :now),
    last_sent_at = :now
WHERE key = :key
