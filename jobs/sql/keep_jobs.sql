-- The leases of what still runs: $1 id, $2 target, $3 lease, $4 seconds. Answers with those kept.
UPDATE jobs j
SET locked_until = clock_timestamp() + make_interval(secs => $4::int)
FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS h (id, target, lease)
WHERE j.id = h.id AND j.target = h.target AND j.lease = h.lease AND j.state = 'ready'
RETURNING j.id, j.target
