-- A send counts from here on, whether it leaves or not.
UPDATE external_calls
SET sends = sends + 1, in_doubt = true, first_sent_at = coalesce(first_sent_at, $2),
    last_sent_at = $2
WHERE key = $1
