-- $1 books, $2 scopes: pairs. Whoever reads holds the stream's advisory lock.
SELECT s.books, s.scope, s.last, s.gap_since
FROM unnest($1::text[], $2::text[]) AS wanted (books, scope)
CROSS JOIN LATERAL (
    SELECT * FROM sequences own
    WHERE own.books = wanted.books AND own.scope = wanted.scope
    LIMIT 1) AS s
