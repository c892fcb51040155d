-- Numbers of unfinished events by provider and status, of unfinished payments by gateway and state,
-- of runs whose gateway is not in :gateways, and the providers that are paused.
-- takes gateways text[]
-- gives kind text, scope text, state text, counted bigint
SELECT 'intents' AS kind, provider AS scope, status AS state, count(*) AS counted
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
FROM (SELECT signal_key FROM workflow_runs WHERE status = 'running'
      UNION ALL
      SELECT signal_key FROM workflow_runs WHERE status = 'needs_review') AS r
JOIN payments p ON p.key = r.signal_key
WHERE p.gateway <> ALL (:gateways)
UNION ALL
SELECT 'paused', provider, '', 1
FROM provider_pauses
