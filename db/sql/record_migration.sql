-- takes name text, checksum text
INSERT INTO pawl.schema_migrations (name, checksum) VALUES (:name, :checksum)
ON CONFLICT (name) DO NOTHING
