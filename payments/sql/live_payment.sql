-- The payment that is not closed: it can still be executed or captured.
-- takes order_id text
-- gives {{payment}}
SELECT {{payment}}
FROM payments
WHERE order_id = :order_id
  AND (state IN ('created', 'calling', 'unknown', 'requires_action', 'processing', 'authorized',
                 'needs_review') OR capturable > 0)
ORDER BY overpaid, attempt
LIMIT 1
