-- gives name text, checksum text, applied_at text
SELECT name, checksum, applied_at::text FROM pawl.schema_migrations ORDER BY name
