SELECT key, key_sent, gateway, operation, run_id, method, path, content_type, request, outcome,
       in_doubt, sends, lookups, not_found, unanswered, first_sent_at, reference, moved, currency,
       note, forced_at IS NOT NULL
FROM external_calls
WHERE key = $1
