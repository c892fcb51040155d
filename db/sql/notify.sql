-- takes channel text
-- gives ignored
SELECT pg_notify(:channel, '')
