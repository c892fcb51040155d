-- Newest first. $10, $11, $12: the last row of the page before, or NULL; $13: one more than wanted
SELECT provider, event_id, event_type, status, outcome, note, account, object, currency, effect_key,
       amount, sequence, deliveries, attempts, correlation_id, received_at, done_at
FROM webhook_intents
WHERE ($1::text IS NULL OR provider = $1)
  AND ($2::text IS NULL OR status = $2)
  AND ($3::text IS NULL OR outcome = $3)
  AND ($4::text IS NULL OR event_type = $4)
  AND ($5::text IS NULL OR account = $5)
  AND ($6::text IS NULL OR object = $6)
  AND ($7::text IS NULL OR strpos(concat_ws(' ', event_id, object, account, note), $7) > 0)
  AND ($8::timestamptz IS NULL OR received_at >= $8)
  AND ($9::timestamptz IS NULL OR received_at < $9)
  AND ($10::timestamptz IS NULL OR (received_at, provider, event_id) < ($10, $11::text, $12::text))
ORDER BY received_at DESC, provider DESC, event_id DESC
LIMIT $13
