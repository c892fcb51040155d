INSERT INTO staged_jobs (kind, payload, correlation_id, staged_at)
SELECT kind, payload::jsonb, correlation_id, $4::timestamptz
FROM unnest($1::text[], $2::text[], $3::text[]) AS t (kind, payload, correlation_id)
