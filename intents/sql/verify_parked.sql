-- takes limit_rows bigint
-- gives {{breach}}
SELECT i.provider || '/' || i.event_id AS subject,
       'waits for ' || t.effect_key || ', which has been posted' AS what
FROM effect_waits w
JOIN webhook_intents i ON i.segment = w.segment AND i.provider = w.provider
                      AND i.event_id = w.event_id
JOIN transfers t ON key_hash(t.effect_key) = key_hash(w.effect_key) AND t.effect_key = w.effect_key
WHERE i.status = 'parked' OR (i.status = 'quarantined' AND i.note = 'needs_timeout')
LIMIT :limit_rows
