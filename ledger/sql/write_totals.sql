INSERT INTO object_totals (books, object, currency, posted, last_sequence)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[])
ON CONFLICT (books, object, currency)
DO UPDATE SET posted = excluded.posted, last_sequence = excluded.last_sequence
