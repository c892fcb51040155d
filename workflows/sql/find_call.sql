-- Ages in microseconds, by the database's clock.
SELECT key, key_sent, gateway, operation, run_id, method, path, content_type, request, outcome,
       in_doubt, sends, lookups, not_found, unanswered,
       (extract(epoch FROM clock_timestamp() - first_sent_at) * 1000000)::bigint, reference, moved,
       currency, note, forced_at IS NOT NULL,
       (extract(epoch FROM clock_timestamp() - last_sent_at) * 1000000)::bigint
FROM external_calls
WHERE key = $1
