-- The lanes come as :kind, :target, :room (limit) and :due_from: rows before that have been
-- claimed, and may be many dead ones. Updated by ctid: a plan that is made while the table is small
-- and kept would find them again by reading all of it. Rows updated concurrently have moved to
-- another ctid and are skipped. `nr` counts the lanes from 1.
-- takes now timestamptz, lease_seconds integer, kind text[], target text[], room bigint[],
--       due_from timestamptz[]
-- gives nr bigint, {{claimed_job}}
UPDATE jobs j
SET lease = j.lease + 1, attempts = j.attempts + 1,
    locked_until = clock_timestamp() + make_interval(secs => :lease_seconds)
FROM (SELECT lane.nr, due.place
      FROM unnest(:kind, :target, :room, :due_from)
        WITH ORDINALITY AS lane (kind, target, room, due_from, nr)
      CROSS JOIN LATERAL (
          SELECT d.ctid AS place
          FROM jobs d
          WHERE d.kind = lane.kind AND d.target = lane.target AND d.state = 'ready'
            AND d.ordering_key IS NULL AND d.run_at >= lane.due_from
            AND d.run_at <= :now AND d.locked_until IS NULL
          ORDER BY d.run_at, d.id
          LIMIT lane.room
          FOR UPDATE SKIP LOCKED) AS due) AS due
WHERE j.ctid = due.place
RETURNING due.nr, {{j.claimed_job}}
