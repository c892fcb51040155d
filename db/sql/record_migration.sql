INSERT INTO pawl.schema_migrations (name, checksum) VALUES ($1, $2)
ON CONFLICT (name) DO NOTHING
