-- The event, and what came under its id: each delivery, or that of its batch, a row. The first is
-- the one that made the event, while that is kept; whether the others hold the same content is for
-- the reader to see. An event whose id was taken by other content came under that id, at its own
-- time.
SELECT i.status, i.lease, i.plan::text, i.fingerprint, encode(i.body_sha256, 'hex'), i.event_type,
       i.correlation_id, i.received_at, d.method, d.url, d.headers, d.body, d.received_at
FROM webhook_intents i
LEFT JOIN LATERAL (
    SELECT b.method, b.url, b.headers, b.body, b.received_at
    FROM webhook_deliveries own
    JOIN webhook_deliveries b
      ON b.provider = own.provider AND b.event_id = coalesce(own.batch_head, own.event_id)
     AND b.received_at = own.received_at AND b.batch_head IS NULL AND b.verdict = 'authentic'
    WHERE own.provider = i.provider
      AND own.event_id IN (i.event_id, regexp_replace(i.event_id, '~[0-9a-f]{16}$', ''))
      AND own.verdict = 'authentic'
      AND (own.event_id = i.event_id OR own.received_at = i.received_at)
    ORDER BY own.received_at = i.received_at DESC, own.received_at
    LIMIT 10) AS d ON true
WHERE i.provider = $1 AND i.event_id = $2
