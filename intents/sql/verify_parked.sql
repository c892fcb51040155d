-- A need is met by a movement under its key, or below it.
-- takes limit_rows bigint
-- gives {{breach}}
SELECT i.provider || '/' || i.event_id AS subject,
       'waits for ' || w.effect_key || ', and ' || met.effect_key || ' has been posted' AS what
FROM effect_waits w
JOIN webhook_intents i ON i.segment = w.segment AND i.provider = w.provider
                      AND i.event_id = w.event_id
CROSS JOIN LATERAL (
    SELECT t.effect_key FROM transfers t
    WHERE key_hash(t.effect_key) = key_hash(w.effect_key) AND t.effect_key = w.effect_key
    UNION ALL
    SELECT t.effect_key FROM transfers t
    WHERE key_hash(key_stem(t.effect_key)) = key_hash(key_stem(w.effect_key))
      AND key_stem(t.effect_key) <> t.effect_key
      AND starts_with(t.effect_key, w.effect_key)
      AND substr(t.effect_key, length(w.effect_key) + 1, 1) IN (':', '@', '#')
    LIMIT 1) AS met
WHERE i.status = 'parked' OR (i.status = 'quarantined' AND i.note = 'needs_timeout')
LIMIT :limit_rows
