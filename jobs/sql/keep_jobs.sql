-- Renews the leases of running jobs, and returns the renewed ones. Found as in
-- finish_jobs.sql.
-- takes id bigint[], target text[], lease bigint[], lease_seconds integer
-- gives id bigint, target text
UPDATE jobs j
SET locked_until = clock_timestamp() + make_interval(secs => :lease_seconds)
FROM (SELECT held.lease, own.place
      FROM unnest(:id, :target, :lease) AS held (id, target, lease)
      CROSS JOIN LATERAL (SELECT o.ctid AS place
                          FROM jobs o
                          WHERE o.id = held.id AND o.target = held.target
                          LIMIT 1) AS own) AS h
WHERE j.ctid = h.place AND j.lease = h.lease AND j.state = 'ready'
RETURNING j.id, j.target
