-- takes key text, forced_at timestamptz
UPDATE external_calls SET forced_at = :forced_at WHERE key = :key
