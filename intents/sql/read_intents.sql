-- $1 providers, $2 event ids: pairs; $3 how long a lease lives, in seconds, by this clock
SELECT i.provider, i.event_id, i.outcome, coalesce(i.note, ''), i.fingerprint,
       encode(i.body_sha256, 'hex'), i.lease,
       coalesce(i.locked_at > clock_timestamp() - make_interval(secs => $3::int), false)
FROM webhook_intents i
JOIN unnest($1::text[], $2::text[]) AS wanted (provider, event_id)
  ON i.provider = wanted.provider AND i.event_id = wanted.event_id
