INSERT INTO running_totals (effect_key, account, currency, total, last_sequence)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[])
ON CONFLICT (effect_key)
DO UPDATE SET total = excluded.total, last_sequence = excluded.last_sequence
