-- A job's ordering is decided when it is enqueued, and an operator may change the setting
-- afterwards: such jobs get their lane's present setting, without which no worker would claim them.
-- The lanes come as :kind, :target, :ordered; at most :jobs_max of each. Updated by ctid, as in
-- claim_jobs.sql.
-- takes kind text[], target text[], ordered boolean[], jobs_max bigint
-- gives kind text, target text
UPDATE jobs j
SET ordering_key = CASE WHEN other.ordered
                        THEN coalesce(nullif(j.payload->>'account', ''), '-') END
FROM (SELECT lane.ordered, keyless.place
      FROM unnest(:kind, :target, :ordered) AS lane (kind, target, ordered)
      CROSS JOIN LATERAL (
          SELECT k.ctid AS place
          FROM jobs k
          WHERE lane.ordered AND k.kind = lane.kind AND k.target = lane.target
            AND k.state = 'ready' AND k.ordering_key IS NULL
          ORDER BY k.run_at, k.id
          LIMIT :jobs_max
          FOR UPDATE SKIP LOCKED) AS keyless
      UNION ALL
      SELECT lane.ordered, keyed.place
      FROM unnest(:kind, :target, :ordered) AS lane (kind, target, ordered)
      CROSS JOIN LATERAL (
          SELECT k.ctid AS place
          FROM jobs k
          WHERE NOT lane.ordered AND k.kind = lane.kind AND k.target = lane.target
            AND k.state = 'ready' AND k.ordering_key IS NOT NULL
          ORDER BY k.ordering_key, k.id
          LIMIT :jobs_max
          FOR UPDATE SKIP LOCKED) AS keyed) AS other
WHERE j.ctid = other.place
RETURNING j.kind, j.target
