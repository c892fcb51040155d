-- $1 a segment, $2 and $3 the provider and event id after which to go on, $4 at most so many
SELECT provider, event_id
FROM webhook_intents
WHERE segment = $1 AND (provider, event_id) > ($2::text, $3::text)
ORDER BY segment, provider, event_id
LIMIT $4
