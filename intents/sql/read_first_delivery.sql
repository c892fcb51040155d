-- An event and the delivery that it first came in, as long as its bytes are kept.
-- takes segment bigint, provider text, event_id text
-- gives effect_key text null, account text null, amount bigint null, currency text null,
--       method text null, url text null, headers bytea null, body bytea null,
--       delivered_at timestamptz null
SELECT i.effect_key, i.account, i.amount, i.currency, d.method, d.url, d.headers, d.body,
       d.received_at AS delivered_at
FROM webhook_intents i
LEFT JOIN LATERAL find_delivery(i.delivery_id) AS d ON true
WHERE i.segment = :segment AND i.provider = :provider AND i.event_id = :event_id
