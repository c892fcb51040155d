-- :lowest is the lowest number that may come now, :start where the stream starts (NULL: with the
-- first that comes); at most :waits_max of each stream, the lowest numbers first. A stream that
-- cannot move yet is not read: thousands may be parked in it. Every lookup is by key. After the
-- last bigint there is no next one.
-- takes books text[], scope text[], lowest bigint[], start bigint[], waits_max bigint
-- gives books text, scope text, sequence bigint, passed boolean, provider text, event_id text,
--       plan text null, event_type text, fingerprint text, body_sha256 text, correlation_id text,
--       received_at timestamptz, segment integer
SELECT w.books, w.scope, w.sequence, w.passed, w.provider, w.event_id, i.plan::text, i.event_type,
       encode(i.fingerprint, 'hex') AS fingerprint, encode(i.body_sha256, 'hex') AS body_sha256,
       i.correlation_id, i.received_at,
       w.segment
FROM unnest(:books, :scope, :lowest, :start)
  AS wanted (books, scope, lowest, start)
LEFT JOIN LATERAL (
    SELECT * FROM sequences s
    WHERE s.books = wanted.books AND s.scope = wanted.scope
    LIMIT 1) AS q ON true
CROSS JOIN LATERAL (
    SELECT * FROM sequence_waits s
    WHERE s.books = wanted.books AND s.scope = wanted.scope
    ORDER BY s.sequence, s.provider, s.event_id
    LIMIT :waits_max) AS w
CROSS JOIN LATERAL (
    SELECT * FROM webhook_intents own
    WHERE own.segment = w.segment AND own.provider = w.provider AND own.event_id = w.event_id
    LIMIT 1) AS i
WHERE wanted.lowest <= coalesce(q.last::numeric + 1, wanted.start, wanted.lowest)
