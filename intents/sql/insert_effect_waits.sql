INSERT INTO effect_waits (effect_key, provider, event_id, since)
SELECT *, $4::timestamptz FROM unnest($1::text[], $2::text[], $3::text[])
ON CONFLICT DO NOTHING
