-- takes key text, key_sent text, gateway text, operation text, run_id bigint, method text,
--       path text, content_type text, request bytea, now timestamptz, correlation_id text
INSERT INTO external_calls (key, key_sent, gateway, operation, run_id, method, path, content_type,
                            request, created_at, correlation_id)
VALUES (:key, :key_sent, :gateway, :operation, :run_id, :method, :path, :content_type, :request,
        :now, :correlation_id)
ON CONFLICT (key) DO NOTHING
