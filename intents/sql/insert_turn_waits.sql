-- takes books text[], scope text[], sequence bigint[], provider text[], event_id text[],
--       segment bigint[], passed boolean[]
INSERT INTO sequence_waits (books, scope, sequence, provider, event_id, segment, passed)
SELECT *
FROM unnest(:books, :scope, :sequence, :provider, :event_id, :segment,
            :passed)
  AS w (books, scope, sequence, provider, event_id, segment, passed)
ON CONFLICT (books, scope, sequence, provider, event_id) DO UPDATE SET passed = excluded.passed
