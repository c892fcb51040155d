-- A send counts from here on, whether it leaves or not. By the database's clock, as its age is.
-- takes key text
UPDATE external_calls
SET sends = sends + 1, in_doubt = true,
    first_sent_at = coalesce(first_sent_at, clock_timestamp()), last_sent_at = clock_timestamp()
WHERE key = :key
