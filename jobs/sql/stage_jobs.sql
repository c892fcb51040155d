INSERT INTO staged_jobs (kind, payload, correlation_id, staged_at)
SELECT unnest($1::text[]), unnest($2::text[])::json, unnest($3::text[]), $4::timestamptz
