SELECT delivery_id, received_at, provider, coalesce(diagnosis, ''), method, url, remote,
       octet_length(body), encode(sha256(body), 'hex')
FROM webhook_deliveries
WHERE verdict = 'rejected'
  AND ($1::text IS NULL OR provider = $1)
  AND ($2::text IS NULL OR diagnosis = $2)
  AND ($3::timestamptz IS NULL OR (received_at, delivery_id) < ($3, $4::bigint))
ORDER BY received_at DESC, delivery_id DESC
LIMIT $5
