-- takes books text[], object text[], currency text[], posted bigint[], last_sequence bigint[]
INSERT INTO object_totals (books, object, currency, posted, last_sequence)
SELECT * FROM unnest(:books, :object, :currency, :posted, :last_sequence)
  AS t (books, object, currency, posted, last_sequence)
ON CONFLICT (books, object, currency)
DO UPDATE SET posted = excluded.posted, last_sequence = excluded.last_sequence
