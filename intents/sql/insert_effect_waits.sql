-- $1 effect keys, $2 providers, $3 event ids, $4 segments, $5 since when
INSERT INTO effect_waits (effect_key, provider, event_id, segment, since)
SELECT *, $5::timestamptz FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[])
ON CONFLICT DO NOTHING
