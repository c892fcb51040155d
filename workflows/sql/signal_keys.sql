-- takes signal_key text[]
-- gives signal_key text null
SELECT signal_key FROM workflow_runs WHERE signal_key = ANY (:signal_key)
