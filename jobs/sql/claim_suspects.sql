-- Claims jobs whose lease expired without a result, among the oldest :rows_max of each lane that
-- are leased. The lanes come as :kind, :target and :room (limit). Updated by ctid, as in
-- claim_jobs.sql.
-- takes now timestamptz, lease_seconds integer, kind text[], target text[], room bigint[],
--       rows_max bigint
-- gives nr bigint, {{claimed_job}}
UPDATE jobs j
SET lease = j.lease + 1, attempts = j.attempts + 1, crashes = j.crashes + 1,
    locked_until = clock_timestamp() + make_interval(secs => :lease_seconds)
FROM (SELECT lane.nr, due.place
      FROM unnest(:kind, :target, :room)
        WITH ORDINALITY AS lane (kind, target, room, nr)
      CROSS JOIN LATERAL (
          SELECT max(oldest.run_at) AS until
          FROM (SELECT o.run_at
                FROM jobs o
                WHERE o.kind = lane.kind AND o.target = lane.target AND o.state = 'ready'
                  AND o.ordering_key IS NULL AND o.run_at <= :now
                ORDER BY o.run_at, o.id
                LIMIT :rows_max) AS oldest) AS looked_at
      CROSS JOIN LATERAL (
          SELECT d.ctid AS place
          FROM jobs d
          WHERE d.kind = lane.kind AND d.target = lane.target AND d.state = 'ready'
            AND d.ordering_key IS NULL AND d.run_at <= looked_at.until
            AND d.locked_until < clock_timestamp()
          ORDER BY d.run_at, d.id
          LIMIT lane.room
          FOR UPDATE SKIP LOCKED) AS due) AS due
WHERE j.ctid = due.place
RETURNING due.nr, {{j.claimed_job}}
