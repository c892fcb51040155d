UPDATE workflow_runs SET wake_at = least(wake_at, $2) WHERE signal_key = $1 AND status = 'running'
