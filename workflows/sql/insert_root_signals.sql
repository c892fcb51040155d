-- Signals to the payments that hold these roots, one by one: the LIMIT keeps the planner from any
-- other join. A capture that has not ended asks the gateway whether it was this one.
-- takes payment_key text[], provider text[], event_id text[], type text, capture_type text,
--       received_at timestamptz
INSERT INTO workflow_signals (signal_key, type, provider, event_id, received_at)
SELECT told.key, told.type, moved.provider, moved.event_id, :received_at
FROM unnest(:payment_key, :provider, :event_id) AS moved (payment_key, provider, event_id)
CROSS JOIN LATERAL (
    SELECT own.key, own.payment_id FROM payments own
    WHERE own.payment_key = moved.payment_key LIMIT 1) AS held
CROSS JOIN LATERAL (
    SELECT held.key, :type AS type
    UNION ALL
    SELECT c.key, :capture_type FROM captures c
    WHERE c.payment_id = held.payment_id
      AND c.state IN ('created', 'calling', 'unknown', 'processing', 'needs_review')) AS told
