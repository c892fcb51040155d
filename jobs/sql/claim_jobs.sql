-- $1 what time it is, $2 seconds of the lease; the lanes: $3 kind, $4 target, $5 at most so many,
-- $6 not due before this: what lies before it has been claimed, and may be a long row of dead rows.
-- Taken by their place (ctid): a plan that is made while the table is small and kept would find
-- them again by reading all of it. Who was changed meanwhile is not at that place, and is left.
UPDATE jobs j
SET lease = j.lease + 1, attempts = j.attempts + 1,
    locked_until = clock_timestamp() + make_interval(secs => $2::int)
FROM (SELECT lane.nr, due.place
      FROM unnest($3::text[], $4::text[], $5::bigint[], $6::timestamptz[])
        WITH ORDINALITY AS lane (kind, target, room, due_from, nr)
      CROSS JOIN LATERAL (
          SELECT d.ctid AS place
          FROM jobs d
          WHERE d.kind = lane.kind AND d.target = lane.target AND d.state = 'ready'
            AND d.ordering_key IS NULL AND d.run_at >= lane.due_from
            AND d.run_at <= $1::timestamptz AND d.locked_until IS NULL
          ORDER BY d.run_at, d.id
          LIMIT lane.room
          FOR UPDATE SKIP LOCKED) AS due) AS due
WHERE j.ctid = due.place
RETURNING due.nr, j.id, j.target, j.kind, j.payload::text, j.correlation_id, j.staged_at,
          j.attempts, j.crashes, j.lease, j.run_at
