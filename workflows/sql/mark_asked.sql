-- takes key text
UPDATE external_calls SET asked_at = clock_timestamp() WHERE key = :key
