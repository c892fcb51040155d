-- Every open payment, capture and refund has a run that will wake, or that a person has been asked to see.
-- takes limit_rows bigint
-- gives {{breach}}
SELECT 'run for ' || open.key AS subject, 'no run will go on with it' AS what
FROM (SELECT key FROM payments
      WHERE state IN ('created', 'calling', 'unknown', 'requires_action', 'processing',
                    'authorized') OR capturable > 0
      UNION ALL
      SELECT key FROM captures WHERE state IN ('created', 'calling', 'unknown', 'processing')
      UNION ALL
      SELECT key FROM refunds WHERE state IN ('created', 'calling', 'unknown', 'processing')) open
WHERE NOT EXISTS (
    SELECT FROM workflow_runs run
    WHERE run.signal_key = open.key
      AND ((run.status = 'running' AND run.wake_at IS NOT NULL) OR run.status = 'needs_review'))
LIMIT :limit_rows
