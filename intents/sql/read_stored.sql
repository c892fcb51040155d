-- The event and the delivery that it came in, while it is unfinished.
-- takes provider text, event_id text
-- gives status text, outcome text, lease bigint, plan text null, fingerprint text, body_sha256 text,
--       event_type text, correlation_id text, received_at timestamptz, method text null,
--       url text null, headers bytea null, body bytea null, delivered_at timestamptz null,
--       segment integer, note text, object text, account text
SELECT i.status, i.outcome, i.lease, i.plan::text, encode(i.fingerprint, 'hex') AS fingerprint,
       encode(i.body_sha256, 'hex') AS body_sha256, i.event_type,
       i.correlation_id, i.received_at, d.method, d.url, d.headers, d.body,
       d.received_at AS delivered_at, i.segment, coalesce(i.note, '') AS note,
       coalesce(i.object, '') AS object, coalesce(i.account, '') AS account
FROM webhook_intents i
LEFT JOIN open_deliveries d ON d.delivery_id = i.delivery_id
WHERE i.segment = ANY (ARRAY (SELECT segment FROM segments)) AND i.provider = :provider
  AND i.event_id = :event_id
ORDER BY i.segment
