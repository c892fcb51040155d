INSERT INTO sequence_waits (books, scope, sequence, provider, event_id, segment, passed)
SELECT *
FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::bigint[],
            $7::boolean[])
ON CONFLICT (books, scope, sequence, provider, event_id) DO UPDATE SET passed = excluded.passed
