-- Rows that are recorded already stay as they are. Sorted by the caller.
-- takes provider text[], key text[], reading text[], now timestamptz
INSERT INTO posted_shapes (provider, key, reading, first_posted_at)
SELECT s.provider, s.key, s.reading, :now
FROM unnest(:provider, :key, :reading) AS s (provider, key, reading)
ON CONFLICT DO NOTHING
