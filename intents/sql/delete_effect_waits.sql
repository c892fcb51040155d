-- $1 effect keys, $2 providers, $3 event ids: triples. Found one by one, by key, then by place.
DELETE FROM effect_waits w
USING unnest($1::text[], $2::text[], $3::text[]) AS gone (effect_key, provider, event_id)
CROSS JOIN LATERAL (
    SELECT own.ctid AS place FROM effect_waits own
    WHERE own.effect_key = gone.effect_key AND own.provider = gone.provider
      AND own.event_id = gone.event_id
    LIMIT 1) AS known
WHERE w.ctid = known.place
