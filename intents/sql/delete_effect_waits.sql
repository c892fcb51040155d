-- Found one by one, by key, then by place.
-- takes effect_key text[], provider text[], event_id text[]
DELETE FROM effect_waits w
USING unnest(:effect_key, :provider, :event_id) AS gone (effect_key, provider, event_id)
CROSS JOIN LATERAL (
    SELECT own.ctid AS place FROM effect_waits own
    WHERE own.effect_key = gone.effect_key AND own.provider = gone.provider
      AND own.event_id = gone.event_id
    LIMIT 1) AS known
WHERE w.ctid = known.place
