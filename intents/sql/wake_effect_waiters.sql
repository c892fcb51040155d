-- Events that wait for an effect that has been posted, and were too many for one transaction; one
-- that had timed out waits again. Found one by one, by key, and written by their places (ctid): a
-- join may be planned as a hash of all that is unfinished.
-- takes effect_key text[], now timestamptz
UPDATE webhook_intents
SET wake_at = :now, status = 'parked', outcome = 'parked',
    note = CASE WHEN status = 'parked' THEN note ELSE 'waiting for the sweeper' END
WHERE status IN ('parked', 'quarantined') AND ctid = ANY (ARRAY (
    SELECT known.place
    FROM unnest(:effect_key) AS posted (effect_key)
    CROSS JOIN LATERAL (
        SELECT own.segment, own.provider, own.event_id FROM effect_waits own
        WHERE own.effect_key = posted.effect_key
        ORDER BY own.effect_key, own.provider, own.event_id) AS w
    CROSS JOIN LATERAL (
        SELECT own.ctid AS place FROM webhook_intents own
        WHERE own.segment = w.segment AND own.provider = w.provider
          AND own.event_id = w.event_id
        LIMIT 1) AS known))
