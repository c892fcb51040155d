-- Transfers by which a running total grew.
-- takes effect_key text[], books text[], object text[], currency text[]
INSERT INTO total_transfers (effect_key, books, object, currency)
SELECT * FROM unnest(:effect_key, :books, :object, :currency)
  AS t (effect_key, books, object, currency)
