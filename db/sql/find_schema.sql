-- Returns whether a Pawl schema exists, and whether an unreleased version left its tables
-- elsewhere: those versions had them in the schema that came first in the search path.
-- gives current boolean, unreleased boolean
SELECT to_regclass('pawl.schema_migrations') IS NOT NULL AS current,
       EXISTS (SELECT FROM pg_class m
               JOIN pg_class i ON i.relnamespace = m.relnamespace AND i.relname = 'webhook_intents'
               JOIN pg_namespace n ON n.oid = m.relnamespace
               WHERE m.relname = 'schema_migrations' AND n.nspname <> 'pawl')
         AS unreleased
