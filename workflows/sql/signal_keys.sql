SELECT signal_key FROM workflow_runs WHERE signal_key = ANY ($1::text[])
