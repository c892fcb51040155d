-- gives ignored
SELECT pg_advisory_unlock(1885435756)
