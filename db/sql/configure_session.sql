-- $1 statement_timeout, $2 lock_timeout, $3 idle_in_transaction_session_timeout (ms), $4 role
SELECT set_config('statement_timeout', $1::text, false),
       set_config('lock_timeout', $2::text, false),
       set_config('idle_in_transaction_session_timeout', $3::text, false),
       set_config('timezone', 'UTC', false),
       set_config('datestyle', 'ISO', false),
       set_config('bytea_output', 'hex', false),
       set_config('default_transaction_isolation', 'read committed', false),
       set_config('role', $4::text, false)
