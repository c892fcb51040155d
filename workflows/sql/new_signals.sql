SELECT signal_id, type, reference, amount, currency, provider, event_id
FROM workflow_signals
WHERE signal_key = $1 AND taken_at IS NULL
ORDER BY signal_id
