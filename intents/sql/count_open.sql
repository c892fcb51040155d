-- What is unfinished: events by provider and status, payments by gateway and state, and runs of
-- gateways that are not in $1.
SELECT 'intents', provider, status, count(*)
FROM webhook_intents
WHERE status IN ('pending', 'parked', 'quarantined') AND status <> 'done'
GROUP BY provider, status
UNION ALL
SELECT 'payments', gateway, state, count(*)
FROM payments
WHERE state IN ('created', 'calling', 'unknown', 'requires_action', 'processing', 'authorized',
                'needs_review')
GROUP BY gateway, state
UNION ALL
SELECT 'runs_without_gateway', '', '', count(*)
FROM workflow_runs r
JOIN payments p ON p.key = r.signal_key
WHERE r.status IN ('running', 'needs_review') AND p.gateway <> ALL ($1::text[])
