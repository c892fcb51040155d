-- Timeouts are in milliseconds. A session with :finds_by_key uses generic plans, often made while
-- the tables are empty and kept until ANALYZE. Sequential and bitmap scans are off for it: a plan
-- with one would still read the whole table when it has grown. Other sessions plan each statement
-- for its values. A COMMIT returns when
-- its WAL is on disk, whatever the server, the database or the role default to; remote_apply is
-- stricter and is kept.
-- takes statement_timeout text, lock_timeout text, idle_timeout text, role text,
--       finds_by_key boolean
-- gives ignored
SELECT set_config('statement_timeout', :statement_timeout, false),
       set_config('lock_timeout', :lock_timeout, false),
       set_config('idle_in_transaction_session_timeout', :idle_timeout, false),
       set_config('timezone', 'UTC', false),
       set_config('datestyle', 'ISO', false),
       set_config('bytea_output', 'hex', false),
       set_config('default_transaction_isolation', 'read committed', false),
       set_config('synchronous_commit',
                  CASE current_setting('synchronous_commit') WHEN 'remote_apply'
                  THEN 'remote_apply' ELSE 'on' END, false),
       -- pg_catalog comes first where it is not named, and temporary tables last.
       set_config('search_path', 'pawl, pg_temp', false),
       set_config('role', :role, false),
       CASE WHEN :finds_by_key THEN set_config('enable_seqscan', 'off', false)
                               || set_config('enable_bitmapscan', 'off', false)
                               || set_config('plan_cache_mode', 'force_generic_plan', false)
                               || set_config('jit', 'off', false)
            ELSE set_config('plan_cache_mode', 'force_custom_plan', false) END
