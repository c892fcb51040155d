-- Timeouts are in milliseconds. A session that finds every row by a key makes its plans once, often
-- while its tables are empty, and keeps them until a table has been analysed: a plan that reads a
-- whole table or sorts all that an index finds, because it was little, would then do so for every
-- batch while it grows. Other sessions plan each statement for its values. A COMMIT returns when
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
