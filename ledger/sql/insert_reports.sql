INSERT INTO effect_reports (effect_key, occurred_at)
SELECT * FROM unnest($1::text[], $2::timestamptz[])
ON CONFLICT DO NOTHING
