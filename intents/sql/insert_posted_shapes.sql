-- Rows that are recorded already stay as they are. A shape that another transaction is recording at
-- this moment is left to it: a unique index would let this one wait for that one's end.
-- takes provider text[], key text[], reading text[], now timestamptz
INSERT INTO posted_shapes (provider, key, reading, first_posted_at)
SELECT s.provider, s.key, s.reading, :now
FROM unnest(:provider, :key, :reading) AS s (provider, key, reading)
WHERE pg_try_advisory_xact_lock(hashtextextended('shape ' || s.provider || ' ' || s.key, 0))
ON CONFLICT DO NOTHING
