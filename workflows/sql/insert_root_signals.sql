-- Signals to the payments that hold these roots, one by one: the LIMIT keeps the planner from any
-- other join.
-- takes payment_key text[], provider text[], event_id text[], type text, received_at timestamptz
INSERT INTO workflow_signals (signal_key, type, provider, event_id, received_at)
SELECT held.key, :type, moved.provider, moved.event_id, :received_at
FROM unnest(:payment_key, :provider, :event_id) AS moved (payment_key, provider, event_id)
CROSS JOIN LATERAL (
    SELECT own.key FROM payments own WHERE own.payment_key = moved.payment_key LIMIT 1) AS held
