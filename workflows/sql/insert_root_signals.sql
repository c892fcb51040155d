-- $1 roots, $2 providers, $3 events: threes. To the payments that hold these roots, one by one: the
-- LIMIT keeps the planner from any other join.
INSERT INTO workflow_signals (signal_key, type, provider, event_id, received_at)
SELECT held.key, $4, moved.provider, moved.event_id, $5
FROM unnest($1::text[], $2::text[], $3::text[]) AS moved (root, provider, event_id)
CROSS JOIN LATERAL (
    SELECT own.key FROM payments own WHERE own.payment_key = moved.root LIMIT 1) AS held
