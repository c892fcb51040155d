SELECT i.provider || '/' || i.event_id, 'is ' || i.status || ', and no delivery has its bytes'
FROM webhook_intents i
WHERE i.status <> 'done'
  AND NOT EXISTS (
      SELECT FROM webhook_deliveries d
      WHERE d.provider = i.provider AND d.verdict = 'authentic'
        AND d.event_id IN (i.event_id, (
            SELECT h.batch_head FROM webhook_deliveries h
            WHERE h.provider = i.provider AND h.event_id = i.event_id
            ORDER BY h.received_at LIMIT 1))
        AND d.batch_head IS NULL)
LIMIT $1
