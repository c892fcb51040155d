-- Ages in microseconds, by the database's clock. A send whose commit was lost was made before the
-- recovery began: until then the last one may have been made.
-- takes key text
-- gives key text, key_sent text, gateway text, operation text, run_id bigint, method text,
--       path text, content_type text, request bytea, outcome text null, in_doubt boolean,
--       sends integer, lookups integer, not_found integer, unanswered integer,
--       age_us bigint null, since_last_send_us bigint null, reference text null, moved bigint null,
--       currency text null, note text null, forced boolean, capturable bigint null
SELECT key, key_sent, gateway, operation, run_id, method, path, content_type, request, outcome,
       in_doubt, sends, lookups, not_found, unanswered,
       (extract(epoch FROM clock_timestamp() - first_sent_at) * 1000000)::bigint AS age_us,
       (extract(epoch FROM clock_timestamp()
                           - greatest(last_sent_at, (SELECT max(began_at) FROM recoveries)))
        * 1000000)::bigint AS since_last_send_us,
       reference, moved, currency,
       note, forced_at IS NOT NULL AS forced, capturable
FROM external_calls
WHERE key = :key
