-- $1 statement_timeout, $2 lock_timeout, $3 idle_in_transaction_session_timeout (ms), $4 role,
-- $5 whether it finds every row by a key. Such a session's plans are made once, often while its
-- tables are empty, and are kept until a table has been analysed: a plan that reads a whole table
-- or sorts all that an index finds, because it was little, would then do so for every batch while
-- it grows. Other sessions plan each statement for its values.
-- A COMMIT returns when its WAL is on disk, whatever the server, the database or the role default
-- to; remote_apply is stricter and is kept.
SELECT set_config('statement_timeout', $1::text, false),
       set_config('lock_timeout', $2::text, false),
       set_config('idle_in_transaction_session_timeout', $3::text, false),
       set_config('timezone', 'UTC', false),
       set_config('datestyle', 'ISO', false),
       set_config('bytea_output', 'hex', false),
       set_config('default_transaction_isolation', 'read committed', false),
       set_config('synchronous_commit',
                  CASE current_setting('synchronous_commit') WHEN 'remote_apply'
                  THEN 'remote_apply' ELSE 'on' END, false),
       -- pg_catalog comes first where it is not named, and temporary tables last.
       set_config('search_path', 'pawl, pg_temp', false),
       set_config('role', $4::text, false),
       CASE WHEN $5::boolean THEN set_config('enable_seqscan', 'off', false)
                               || set_config('enable_bitmapscan', 'off', false)
                               || set_config('plan_cache_mode', 'force_generic_plan', false)
                               || set_config('jit', 'off', false)
            ELSE set_config('plan_cache_mode', 'force_custom_plan', false) END
