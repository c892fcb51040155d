-- gives provider text, key text, reading text
SELECT provider, key, reading FROM posted_shapes ORDER BY provider, key, first_posted_at
