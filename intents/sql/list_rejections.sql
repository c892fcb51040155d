-- takes provider text null, diagnosis text null, from_time timestamptz null,
--       to_time timestamptz null, before_received_at timestamptz null, before_id bigint null,
--       limit_rows bigint
-- gives id bigint, received_at timestamptz, provider text, diagnosis text, method text, url text,
--       remote text, body_bytes integer, body_sha256 text
SELECT id, received_at, provider, diagnosis, method, url, remote, octet_length(body) AS body_bytes,
       encode(sha256(body), 'hex') AS body_sha256
FROM rejections
WHERE (:provider IS NULL OR provider = :provider)
  AND (:diagnosis IS NULL OR diagnosis = :diagnosis)
  AND (:from_time IS NULL OR received_at >= :from_time)
  AND (:to_time IS NULL OR received_at < :to_time)
  AND (:before_received_at IS NULL OR (received_at, id) < (:before_received_at, :before_id))
ORDER BY received_at DESC, id DESC
LIMIT :limit_rows
