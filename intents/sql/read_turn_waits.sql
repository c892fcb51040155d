-- $1 books, $2 scopes, $3 the lowest number that may come now, $4 where the stream starts (NULL:
-- with whatever comes first); $5 at most so many of each stream, the lowest numbers first. A stream
-- that cannot move yet is not read: thousands may wait in it. Everything is looked up by key. After
-- the last bigint there is no next one.
SELECT w.books, w.scope, w.sequence, w.passed, w.provider, w.event_id, i.plan::text, i.event_type,
       encode(i.fingerprint, 'hex'), encode(i.body_sha256, 'hex'), i.correlation_id, i.received_at,
       w.segment
FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])
  AS wanted (books, scope, lowest, start)
LEFT JOIN LATERAL (
    SELECT * FROM sequences s
    WHERE s.books = wanted.books AND s.scope = wanted.scope
    LIMIT 1) AS q ON true
CROSS JOIN LATERAL (
    SELECT * FROM sequence_waits s
    WHERE s.books = wanted.books AND s.scope = wanted.scope
    ORDER BY s.sequence, s.provider, s.event_id
    LIMIT $5) AS w
CROSS JOIN LATERAL (
    SELECT * FROM webhook_intents own
    WHERE own.segment = w.segment AND own.provider = w.provider AND own.event_id = w.event_id
    LIMIT 1) AS i
WHERE wanted.lowest <= coalesce(q.last::numeric + 1, wanted.start, wanted.lowest)
