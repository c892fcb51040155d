-- The payment that stands in the way of another attempt: it can still be executed or captured, or
-- its run has not taken a reported movement yet, so that its row is behind the books.
-- takes order_id text
-- gives {{payment}}
SELECT {{payment}}
FROM payments
WHERE order_id = :order_id
  AND (state IN ('created', 'calling', 'unknown', 'requires_action', 'processing', 'authorized',
                 'needs_review') OR capturable > 0
       -- A count, and not EXISTS: that may be planned as a scan of all signals.
       OR (SELECT count(*) FROM workflow_signals AS signal
           WHERE signal.signal_key = payments.key AND signal.taken_at IS NULL) > 0)
ORDER BY overpaid, attempt
LIMIT 1
