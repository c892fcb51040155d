-- The event and the delivery that it came in, while it is unfinished.
SELECT i.status, i.lease, i.plan::text, encode(i.fingerprint, 'hex'),
       encode(i.body_sha256, 'hex'), i.event_type,
       i.correlation_id, i.received_at, d.method, d.url, d.headers, d.body, d.received_at, i.segment,
       coalesce(i.note, ''), coalesce(i.object, ''), coalesce(i.account, '')
FROM webhook_intents i
LEFT JOIN open_deliveries d ON d.delivery_id = i.delivery_id
WHERE i.segment = ANY (ARRAY (SELECT segment FROM segments)) AND i.provider = $1
  AND i.event_id = $2
ORDER BY i.segment
