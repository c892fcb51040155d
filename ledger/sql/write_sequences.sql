-- takes books text[], scope text[], last bigint[], gap_since timestamptz[]
INSERT INTO sequences (books, scope, last, gap_since)
SELECT * FROM unnest(:books, :scope, :last, :gap_since)
  AS s (books, scope, last, gap_since)
ON CONFLICT (books, scope) DO UPDATE SET last = excluded.last, gap_since = excluded.gap_since
