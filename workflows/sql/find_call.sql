-- takes key text
-- gives key text, key_sent text, gateway text, operation text, run_id bigint, method text,
--       path text, content_type text, request bytea, outcome text null, in_doubt boolean,
--       sends integer, lookups integer, not_found integer, unanswered integer,
--       first_sent_at timestamptz null, reference text null, moved bigint null, currency text null,
--       note text null, forced boolean
SELECT key, key_sent, gateway, operation, run_id, method, path, content_type, request, outcome,
       in_doubt, sends, lookups, not_found, unanswered, first_sent_at, reference, moved, currency,
       note, forced_at IS NOT NULL AS forced
FROM external_calls
WHERE key = :key
