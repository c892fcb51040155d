UPDATE external_calls SET forced_at = $2 WHERE key = $1
