-- $1 effect keys of returns, $2 what they return
INSERT INTO returned_effects (effect_key, returns)
SELECT * FROM unnest($1::text[], $2::text[])
