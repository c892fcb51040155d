-- $1 providers, $2 event ids, $3 how many more
UPDATE webhook_intents i SET deliveries = i.deliveries + seen.more
FROM unnest($1::text[], $2::text[], $3::bigint[]) AS seen (provider, event_id, more)
WHERE i.provider = seen.provider AND i.event_id = seen.event_id
