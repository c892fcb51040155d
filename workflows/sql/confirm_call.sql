UPDATE external_calls SET forced_at = NULL WHERE key = $1 AND forced_at IS NOT NULL
