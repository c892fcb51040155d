-- Whether a subscriber is told in order is decided when a job is moved, and an operator may change
-- it afterwards: such jobs become what their lane is now, or nobody would ever claim them. The
-- lanes: $1 kind, $2 target, $3 ordered; $4 at most so many of each. By their place, as in
-- claim_jobs.sql.
UPDATE jobs j
SET ordering_key = CASE WHEN other.ordered
                        THEN coalesce(nullif(j.payload->>'account', ''), '-') END
FROM (SELECT lane.ordered, keyless.place
      FROM unnest($1::text[], $2::text[], $3::boolean[]) AS lane (kind, target, ordered)
      CROSS JOIN LATERAL (
          SELECT k.ctid AS place
          FROM jobs k
          WHERE lane.ordered AND k.kind = lane.kind AND k.target = lane.target
            AND k.state = 'ready' AND k.ordering_key IS NULL
          ORDER BY k.run_at, k.id
          LIMIT $4
          FOR UPDATE SKIP LOCKED) AS keyless
      UNION ALL
      SELECT lane.ordered, keyed.place
      FROM unnest($1::text[], $2::text[], $3::boolean[]) AS lane (kind, target, ordered)
      CROSS JOIN LATERAL (
          SELECT k.ctid AS place
          FROM jobs k
          WHERE NOT lane.ordered AND k.kind = lane.kind AND k.target = lane.target
            AND k.state = 'ready' AND k.ordering_key IS NOT NULL
          ORDER BY k.ordering_key, k.id
          LIMIT $4
          FOR UPDATE SKIP LOCKED) AS keyed) AS other
WHERE j.ctid = other.place
RETURNING j.kind, j.target
