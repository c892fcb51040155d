SELECT i.provider || '/' || i.event_id, 'is ' || i.status || ', and no delivery has its bytes'
FROM webhook_intents i
WHERE (i.status <> 'done' OR i.note = 'nothing_to_return')
  AND NOT EXISTS (SELECT FROM open_deliveries o WHERE o.delivery_id = i.delivery_id)
LIMIT $1
