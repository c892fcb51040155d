-- Movements that return others.
-- takes effect_key text[], returns text[]
INSERT INTO returned_effects (effect_key, returns)
SELECT * FROM unnest(:effect_key, :returns) AS r (effect_key, returns)
