-- The caller holds the stream's advisory lock.
-- takes books text[], scope text[]
-- gives books text, scope text, last bigint null, gap_since timestamptz null
SELECT s.books, s.scope, s.last, s.gap_since
FROM unnest(:books, :scope) AS wanted (books, scope)
CROSS JOIN LATERAL (
    SELECT * FROM sequences own
    WHERE own.books = wanted.books AND own.scope = wanted.scope
    LIMIT 1) AS s
