SELECT 'transfer ' || t.id, 'nothing that is stored caused ' || t.effect_key
FROM transfers t
WHERE NOT EXISTS (
    SELECT FROM webhook_intents i
    WHERE i.provider = t.provider AND i.event_id = t.event_id
      AND i.outcome IN ('applied', 'applied_late') AND i.effect_key = t.effect_key)
LIMIT $1
