-- Found one by one, by key, then by place.
-- takes books text[], scope text[], sequence bigint[], provider text[], event_id text[]
DELETE FROM sequence_waits w
USING unnest(:books, :scope, :sequence, :provider, :event_id)
  AS gone (books, scope, sequence, provider, event_id)
CROSS JOIN LATERAL (
    SELECT own.ctid AS place FROM sequence_waits own
    WHERE own.books = gone.books AND own.scope = gone.scope AND own.sequence = gone.sequence
      AND own.provider = gone.provider AND own.event_id = gone.event_id
    LIMIT 1) AS known
WHERE w.ctid = known.place
