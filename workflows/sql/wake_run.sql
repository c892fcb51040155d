-- takes signal_key text, now timestamptz
UPDATE workflow_runs SET wake_at = least(wake_at,
:now) WHERE signal_key = :signal_key AND status = 'running'
