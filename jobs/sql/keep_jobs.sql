-- The leases of what still runs: $1 id, $2 target, $3 lease, $4 seconds. Answers with those kept.
-- Found as in finish_jobs.sql.
UPDATE jobs j
SET locked_until = clock_timestamp() + make_interval(secs => $4::int)
FROM (SELECT held.lease, own.place
      FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS held (id, target, lease)
      CROSS JOIN LATERAL (SELECT o.ctid AS place
                          FROM jobs o
                          WHERE o.id = held.id AND o.target = held.target
                          LIMIT 1) AS own) AS h
WHERE j.ctid = h.place AND j.lease = h.lease AND j.state = 'ready'
RETURNING j.id, j.target
