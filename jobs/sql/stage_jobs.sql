-- takes kind text[], payload text[], correlation_id text[], now timestamptz
INSERT INTO staged_jobs (kind, payload, correlation_id, staged_at)
SELECT unnest(:kind), unnest(:payload)::json, unnest(:correlation_id), :now
