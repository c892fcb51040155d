SELECT name, checksum, applied_at::text FROM schema_migrations ORDER BY name
