-- $1 books, $2 scopes, $3 numbers, $4 providers, $5 event ids. Found one by one, by key, then by
-- place.
DELETE FROM sequence_waits w
USING unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[])
  AS gone (books, scope, sequence, provider, event_id)
CROSS JOIN LATERAL (
    SELECT own.ctid AS place FROM sequence_waits own
    WHERE own.books = gone.books AND own.scope = gone.scope AND own.sequence = gone.sequence
      AND own.provider = gone.provider AND own.event_id = gone.event_id
    LIMIT 1) AS known
WHERE w.ctid = known.place
