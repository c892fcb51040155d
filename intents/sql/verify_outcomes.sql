SELECT provider || '/' || event_id, 'has status ' || status || ' and outcome ' || outcome
FROM webhook_intents
WHERE status NOT IN ('pending', 'done', 'parked', 'quarantined')
   OR (status = 'done') <> (outcome IN ('applied', 'applied_late', 'duplicate_effect', 'stale',
                                        'ignored', 'started'))
   OR (status <> 'done' AND status <> outcome)
LIMIT $1
