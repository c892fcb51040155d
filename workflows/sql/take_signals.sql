UPDATE workflow_signals SET taken_at = $2 WHERE signal_id = ANY ($1::bigint[])
