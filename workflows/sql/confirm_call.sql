-- takes key text
UPDATE external_calls SET forced_at = NULL WHERE key = :key AND forced_at IS NOT NULL
