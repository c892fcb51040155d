-- Whether each of these transactions has ended.
-- takes virtualtransaction text[]
-- gives ended boolean
SELECT NOT EXISTS (SELECT FROM pg_locks WHERE virtualtransaction = ANY (:virtualtransaction))
         AS ended
