DELETE FROM effect_waits w
USING unnest($1::text[], $2::text[], $3::text[]) AS gone (effect_key, provider, event_id)
WHERE w.effect_key = gone.effect_key AND w.provider = gone.provider AND w.event_id = gone.event_id
