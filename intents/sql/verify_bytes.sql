-- takes limit_rows bigint
-- gives {{breach}}
SELECT i.provider || '/' || i.event_id AS subject,
       'is ' || i.status || CASE WHEN d.delivery_id IS NULL THEN ', and no delivery has its bytes'
                                 ELSE ', and its delivery has other bytes' END AS what
FROM webhook_intents i
LEFT JOIN open_deliveries d ON d.delivery_id = i.delivery_id
WHERE (i.status <> 'done' OR i.note = 'nothing_to_return')
  AND CASE WHEN d.provider = i.provider AND i.item_offset >= 0 AND i.item_length >= 0
            AND i.item_offset::bigint + i.item_length <= octet_length(d.body)
           THEN sha256(substring(d.body FROM i.item_offset + 1 FOR i.item_length))
                <> i.body_sha256
           ELSE true END
LIMIT :limit_rows
