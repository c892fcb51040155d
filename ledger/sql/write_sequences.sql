INSERT INTO sequences (books, scope, last, gap_since)
SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::timestamptz[])
ON CONFLICT (books, scope) DO UPDATE SET last = excluded.last, gap_since = excluded.gap_since
