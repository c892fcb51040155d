-- $1 books, $2 objects, $3 currencies. Whoever reads holds the total's advisory lock.
SELECT t.books, t.object, t.currency, t.posted, t.last_sequence
FROM unnest($1::text[], $2::text[], $3::text[]) AS wanted (books, object, currency)
CROSS JOIN LATERAL (
    SELECT * FROM object_totals own
    WHERE own.books = wanted.books AND own.object = wanted.object
      AND own.currency = wanted.currency
    LIMIT 1) AS t
