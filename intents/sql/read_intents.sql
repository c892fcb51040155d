-- $1 providers, $2 event ids: pairs; $3 how long a lease lives, in seconds, by this clock. Looked
-- up one by one: the LIMIT keeps the planner from any other join.
SELECT wanted.provider, wanted.event_id, i.outcome, coalesce(i.note, ''),
       encode(i.fingerprint, 'hex'),
       encode(i.body_sha256, 'hex'), i.lease,
       coalesce(i.locked_at > clock_timestamp() - make_interval(secs => $3::int), false),
       w.effect_key, w.since
FROM unnest($1::text[], $2::text[]) AS wanted (provider, event_id)
CROSS JOIN LATERAL (
    SELECT own.outcome, own.note, own.fingerprint, own.body_sha256, own.lease, own.locked_at
    FROM webhook_intents own
    WHERE own.provider = wanted.provider AND own.event_id = wanted.event_id
    LIMIT 1) AS i
LEFT JOIN LATERAL (
    SELECT own.effect_key, own.since FROM effect_waits own
    WHERE own.provider = wanted.provider AND own.event_id = wanted.event_id
    LIMIT 1) AS w ON true
