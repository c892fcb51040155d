INSERT INTO external_calls (key, key_sent, gateway, operation, run_id, method, path, content_type,
                            request, created_at, correlation_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
ON CONFLICT (key) DO NOTHING
