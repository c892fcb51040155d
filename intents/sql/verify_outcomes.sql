-- The constraints prove it, and a deep verification reads the table itself.
-- takes limit_rows bigint
-- gives {{breach}}
SELECT 'constraint ' || name AS subject, 'is missing or not valid' AS what
FROM unnest(ARRAY['webhook_intents_status_known', 'webhook_intents_outcome_known',
                  'webhook_intents_status_fits_outcome']) AS name
WHERE NOT EXISTS (
    SELECT FROM pg_constraint c
    WHERE c.conrelid = 'webhook_intents'::regclass AND c.conname = name AND c.contype = 'c'
      AND c.convalidated)
UNION ALL
SELECT provider || '/' || event_id, 'has status ' || status || ' and outcome ' || outcome
FROM webhook_intents
WHERE current_setting('pawl.verify_deep', true) = 'on'
  AND (status NOT IN ('pending', 'done', 'parked', 'quarantined')
       OR (status = 'done') <> (outcome IN ('applied', 'applied_late', 'duplicate_effect', 'stale',
                                            'ignored', 'started', 'dismissed'))
       OR (status <> 'done' AND status <> outcome))
LIMIT :limit_rows
