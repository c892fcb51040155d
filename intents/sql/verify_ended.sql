-- Whether each of these transactions has ended.
SELECT NOT EXISTS (SELECT FROM pg_locks WHERE virtualtransaction = ANY ($1::text[]))
