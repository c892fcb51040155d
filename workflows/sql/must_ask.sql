-- The recovery for which the gateway is to be asked about call :key before a send: one that is on,
-- or an earlier one, where the order is older than its end. No row: none, or it was asked since.
-- takes key text, order_id text
-- gives is_on boolean
SELECT r.ended_at IS NULL AS is_on
FROM recoveries r
WHERE (r.ended_at IS NULL
       OR EXISTS (SELECT FROM orders o
                  WHERE o.order_id = :order_id AND o.created_at < r.ended_at))
  AND NOT EXISTS (SELECT FROM external_calls c WHERE c.key = :key AND c.asked_at >= r.began_at)
ORDER BY r.recovery_id DESC
LIMIT 1
