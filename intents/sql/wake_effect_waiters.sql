-- Those who wait for an effect that has been posted, and were too many for one transaction.
UPDATE webhook_intents i SET wake_at = $2::timestamptz
FROM effect_waits w
WHERE w.effect_key = ANY ($1::text[]) AND i.provider = w.provider AND i.event_id = w.event_id
  AND i.status = 'parked'
