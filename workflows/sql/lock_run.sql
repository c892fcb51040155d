-- Before order and payment: in the order in which workers lock them.
-- takes signal_key text
-- gives run_id bigint
SELECT run_id FROM workflow_runs WHERE signal_key = :signal_key FOR NO KEY UPDATE
