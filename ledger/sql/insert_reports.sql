-- takes effect_key text[], occurred_at timestamptz[]
INSERT INTO effect_reports (effect_key, occurred_at)
SELECT * FROM unnest(:effect_key, :occurred_at) AS r (effect_key, occurred_at)
ON CONFLICT DO NOTHING
