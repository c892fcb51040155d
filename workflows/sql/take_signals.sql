-- takes signal_id bigint[], now timestamptz
UPDATE workflow_signals SET taken_at = :now WHERE signal_id = ANY (:signal_id)
