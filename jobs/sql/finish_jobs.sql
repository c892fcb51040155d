-- What has ended, by whoever holds the lease: $1 id, $2 target, $3 lease, $4 state, $5 when again,
-- $6 error, $7 given back; $8 what time it is. Found one by one: the LIMIT keeps the planner from
-- any other join, and the place (ctid) keeps it from finding them a second time.
UPDATE jobs j
SET state = f.state, run_at = coalesce(f.run_at, j.run_at),
    last_error = coalesce(f.error, j.last_error),
    attempts = j.attempts - f.given_back::int,
    crashes = CASE WHEN f.given_back THEN j.crashes ELSE 0 END,
    locked_until = NULL,
    done_at = CASE WHEN f.state <> 'ready' THEN $8::timestamptz END
FROM (SELECT ended.*, own.place
      FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::timestamptz[],
                  $6::text[], $7::boolean[])
        AS ended (id, target, lease, state, run_at, error, given_back)
      CROSS JOIN LATERAL (SELECT o.ctid AS place
                          FROM jobs o
                          WHERE o.id = ended.id AND o.target = ended.target
                          LIMIT 1) AS own) AS f
WHERE j.ctid = f.place AND j.lease = f.lease AND j.state = 'ready'
