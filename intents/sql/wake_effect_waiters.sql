-- Those who wait for an effect that has been posted, and were too many for one transaction. Found
-- one by one, by key, then by place.
UPDATE webhook_intents i SET wake_at = $2::timestamptz
FROM unnest($1::text[]) AS posted (effect_key)
CROSS JOIN LATERAL (
    SELECT own.provider, own.event_id FROM effect_waits own
    WHERE own.effect_key = posted.effect_key
    ORDER BY own.effect_key, own.provider, own.event_id) AS w
CROSS JOIN LATERAL (
    SELECT own.ctid AS place FROM webhook_intents own
    WHERE own.provider = w.provider AND own.event_id = w.event_id
    LIMIT 1) AS known
WHERE i.ctid = known.place AND i.provider = w.provider AND i.event_id = w.event_id
  AND i.status = 'parked'
