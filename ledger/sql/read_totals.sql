-- $1 books, $2 objects, $3 currencies. Whoever reads holds the total's advisory lock.
SELECT t.books, t.object, t.currency, t.posted, t.last_sequence
FROM object_totals t
JOIN unnest($1::text[], $2::text[], $3::text[]) AS wanted (books, object, currency)
  ON t.books = wanted.books AND t.object = wanted.object AND t.currency = wanted.currency
