-- gives number text
SELECT pg_current_xact_id()::text AS number
