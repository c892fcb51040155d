-- Jobs whose worker ended without a word: their lease is over. Among the oldest of each lane, where
-- leases are taken. $1 what time it is, $2 seconds of the lease; the lanes: $3 kind, $4 target,
-- $5 at most so many; $6 rows looked at. By their place, as in claim_jobs.sql.
UPDATE jobs j
SET lease = j.lease + 1, attempts = j.attempts + 1, crashes = j.crashes + 1,
    locked_until = clock_timestamp() + make_interval(secs => $2::int)
FROM (SELECT lane.nr, due.place
      FROM unnest($3::text[], $4::text[], $5::bigint[])
        WITH ORDINALITY AS lane (kind, target, room, nr)
      CROSS JOIN LATERAL (
          SELECT max(oldest.run_at) AS until
          FROM (SELECT o.run_at
                FROM jobs o
                WHERE o.kind = lane.kind AND o.target = lane.target AND o.state = 'ready'
                  AND o.ordering_key IS NULL AND o.run_at <= $1::timestamptz
                ORDER BY o.run_at, o.id
                LIMIT $6) AS oldest) AS looked_at
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
RETURNING due.nr, j.id, j.target, j.kind, j.payload::text, j.correlation_id, j.staged_at,
          j.attempts, j.crashes, j.lease, j.run_at
