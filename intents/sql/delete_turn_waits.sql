DELETE FROM sequence_waits w
USING unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[])
  AS gone (books, scope, sequence, provider, event_id)
WHERE w.books = gone.books AND w.scope = gone.scope AND w.sequence = gone.sequence
  AND w.provider = gone.provider AND w.event_id = gone.event_id
