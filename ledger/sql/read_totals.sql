-- The caller holds the total's advisory lock.
-- takes books text[], object text[], currency text[]
-- gives books text, object text, currency text, posted bigint, last_sequence bigint null
SELECT t.books, t.object, t.currency, t.posted, t.last_sequence
FROM unnest(:books, :object, :currency) AS wanted (books, object, currency)
CROSS JOIN LATERAL (
    SELECT * FROM object_totals own
    WHERE own.books = wanted.books AND own.object = wanted.object
      AND own.currency = wanted.currency
    LIMIT 1) AS t
