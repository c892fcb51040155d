-- $1 providers, $2 event ids: pairs; $3 how long a lease lives, in seconds, by this clock. Each is
-- looked for in the segments after $4, whose token is $5: up to there the caller's filters have
-- answered, and where they said "maybe" it names providers $6, event ids $7 and segments $8.
-- Where this database has no such segment, the filters are another's, and all segments are asked.
-- Looked up one by one: the LIMIT keeps the planner from any other join.
SELECT wanted.provider, wanted.event_id, i.outcome, coalesce(i.note, ''),
       encode(i.fingerprint, 'hex'),
       encode(i.body_sha256, 'hex'), i.lease,
       coalesce(i.locked_at > clock_timestamp() - make_interval(secs => $3::int), false),
       w.effect_key, w.since, wanted.segment
FROM (SELECT known.provider, known.event_id, asked.segment
      FROM unnest($1::text[], $2::text[]) AS known (provider, event_id)
      CROSS JOIN (
          SELECT s.segment FROM segments s
          WHERE s.segment > coalesce((SELECT sealed.segment FROM segments sealed
                                      WHERE sealed.segment = $4 AND sealed.token = $5), 0)
          ) AS asked
      UNION ALL
      SELECT maybe.provider, maybe.event_id, maybe.segment
      FROM unnest($6::text[], $7::text[], $8::bigint[]) AS maybe (provider, event_id, segment)
     ) AS wanted
CROSS JOIN LATERAL (
    SELECT own.outcome, own.note, own.fingerprint, own.body_sha256, own.lease, own.locked_at
    FROM webhook_intents own
    WHERE own.segment = wanted.segment AND own.provider = wanted.provider
      AND own.event_id = wanted.event_id
    LIMIT 1) AS i
LEFT JOIN LATERAL (
    SELECT own.effect_key, own.since FROM effect_waits own
    WHERE own.provider = wanted.provider AND own.event_id = wanted.event_id
    LIMIT 1) AS w ON true
