-- $1 books, $2 scopes: pairs. Whoever reads holds the stream's advisory lock.
SELECT s.books, s.scope, s.last, s.gap_since
FROM sequences s
JOIN unnest($1::text[], $2::text[]) AS wanted (books, scope)
  ON s.books = wanted.books AND s.scope = wanted.scope
