-- The constraint proves it, and a deep verification reads the table itself.
-- takes limit_rows bigint
-- gives {{breach}}
SELECT 'constraint webhook_intents_waiting_will_wake' AS subject, 'is missing or not valid' AS what
WHERE NOT EXISTS (
    SELECT FROM pg_constraint c
    WHERE c.conrelid = 'webhook_intents'::regclass AND c.contype = 'c' AND c.convalidated
      AND c.conname = 'webhook_intents_waiting_will_wake')
UNION ALL
SELECT provider || '/' || event_id, 'is ' || status || ' and nothing will wake it'
FROM webhook_intents
WHERE current_setting('pawl.verify_deep', true) = 'on'
  AND status IN ('pending', 'parked') AND wake_at IS NULL
LIMIT :limit_rows
