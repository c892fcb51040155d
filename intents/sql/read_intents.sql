-- A lease lasts :lease_seconds by the clock of the database. Each event is searched in the segments
-- after :through, whose token is :token: up to there the caller's filters have answered, and their
-- "maybe" answers are in :maybe_provider, :maybe_event_id and :maybe_segment. A database without
-- such a segment is not the filters' one, and all segments are searched. Looked up one by one: the
-- LIMIT keeps the planner from any other join.
-- takes provider text[], event_id text[], lease_seconds integer, through integer, token text,
--       maybe_provider text[], maybe_event_id text[], maybe_segment bigint[]
-- gives provider text, event_id text, outcome text, note text, fingerprint text, body_sha256 text,
--       lease bigint, leased boolean, effect_key text null, since timestamptz null, segment bigint
SELECT wanted.provider, wanted.event_id, i.outcome, coalesce(i.note, '') AS note,
       encode(i.fingerprint, 'hex') AS fingerprint,
       encode(i.body_sha256, 'hex') AS body_sha256, i.lease,
       coalesce(i.locked_at > clock_timestamp() - make_interval(secs => :lease_seconds), false)
         AS leased,
       w.effect_key, w.since, wanted.segment
FROM (SELECT known.provider, known.event_id, asked.segment
      FROM unnest(:provider, :event_id) AS known (provider, event_id)
      CROSS JOIN (
          SELECT s.segment FROM segments s
          WHERE s.segment > coalesce((SELECT sealed.segment FROM segments sealed
                                      WHERE sealed.segment = :through AND sealed.token = :token), 0)
          ) AS asked
      UNION ALL
      SELECT maybe.provider, maybe.event_id, maybe.segment
      FROM unnest(:maybe_provider, :maybe_event_id, :maybe_segment)
        AS maybe (provider, event_id, segment)
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
