-- The effect keys under which an event has posted.
-- takes provider text, event_id text
-- gives effect_key text
SELECT i.effect_key
FROM webhook_intents i
WHERE i.segment = ANY (ARRAY (SELECT segment FROM segments)) AND i.provider = :provider
  AND i.event_id = :event_id AND i.effect_key IS NOT NULL
UNION
SELECT own.effect_key
FROM webhook_intents i
CROSS JOIN LATERAL jsonb_array_elements_text(i.result -> 'effect_keys') AS own (effect_key)
WHERE i.segment = ANY (ARRAY (SELECT segment FROM segments)) AND i.provider = :provider
  AND i.event_id = :event_id
