-- takes key text, note text
UPDATE external_calls SET note = :note WHERE key = :key AND forced_at IS NOT NULL
