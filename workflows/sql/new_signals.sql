-- takes signal_key text
-- gives signal_id bigint, type text, reference text null, amount bigint null, currency text null,
--       provider text, event_id text
SELECT signal_id, type, reference, amount, currency, provider, event_id
FROM workflow_signals
WHERE signal_key = :signal_key AND taken_at IS NULL
ORDER BY signal_id
