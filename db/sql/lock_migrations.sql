-- The number is "pawl" in ASCII. Waiting here is normal: another program is migrating, so neither
-- timeout may end the wait.
-- gives ignored
SELECT set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false),
       pg_advisory_lock(1885435756)
