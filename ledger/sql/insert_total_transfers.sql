-- Transfers by which a running total grew: $1 effect keys, $2 books, $3 objects, $4 currencies.
INSERT INTO total_transfers (effect_key, books, object, currency)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
