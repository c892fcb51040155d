SELECT id, received_at, provider, diagnosis, method, url, remote, octet_length(body),
       encode(sha256(body), 'hex')
FROM rejections
WHERE ($1::text IS NULL OR provider = $1)
  AND ($2::text IS NULL OR diagnosis = $2)
  AND ($3::timestamptz IS NULL OR received_at >= $3)
  AND ($4::timestamptz IS NULL OR received_at < $4)
  AND ($5::timestamptz IS NULL OR (received_at, id) < ($5, $6::bigint))
ORDER BY received_at DESC, id DESC
LIMIT $7
