-- takes effect_key text[], provider text[], event_id text[], segment bigint[], since timestamptz
INSERT INTO effect_waits (effect_key, provider, event_id, segment, since)
SELECT effect_key, provider, event_id, segment, :since
FROM unnest(:effect_key, :provider, :event_id, :segment)
  AS w (effect_key, provider, event_id, segment)
ON CONFLICT DO NOTHING
