-- One lane whose jobs keep an order for each key. Only the first of a key may run, and not while
-- one before it is still staged. Looks at so many keys at most, from one on, so that keys that
-- cannot go on keep nobody waiting. $1 what time it is, $2 seconds of the lease, $3 kind,
-- $4 target, $5 at most so many, $6 after this key, $7 keys looked at, $8 of those whose worker
-- ended without a word at most so many. The first column of every row is the last key that was
-- looked at, where there may be more. By their place, as in claim_jobs.sql.
WITH RECURSIVE heads AS (
    (SELECT h.ordering_key, h.id, h.ctid AS place, 1 AS nr
     FROM jobs h
     WHERE h.kind = $3 AND h.target = $4 AND h.state = 'ready' AND h.ordering_key IS NOT NULL
       AND h.ordering_key > $6
     ORDER BY h.ordering_key, h.id
     LIMIT 1)
    UNION ALL
    SELECT following.ordering_key, following.id, following.place, heads.nr + 1
    FROM heads
    CROSS JOIN LATERAL (
        SELECT n.ordering_key, n.id, n.ctid AS place
        FROM jobs n
        WHERE n.kind = $3 AND n.target = $4 AND n.state = 'ready' AND n.ordering_key IS NOT NULL
          AND n.ordering_key > heads.ordering_key
        ORDER BY n.ordering_key, n.id
        LIMIT 1) AS following
    WHERE heads.nr < $7::int
), staged AS MATERIALIZED (
    -- Once, and no further than the newest of them: what is staged behind that holds up nobody.
    SELECT coalesce(nullif(s.payload->>'account', ''), '-') AS ordering_key, min(s.id) AS id
    FROM staged_jobs s
    WHERE s.id >> 6 <= (SELECT max(heads.id) >> 6 FROM heads)
      AND s.id < (SELECT max(heads.id) FROM heads) AND s.kind = $3
    GROUP BY 1
), may_run AS (
    SELECT heads.place
    FROM heads
    WHERE NOT EXISTS (SELECT FROM staged s
                      WHERE s.ordering_key = heads.ordering_key AND s.id < heads.id)
), suspects AS (
    SELECT d.ctid AS place
    FROM may_run
    JOIN jobs d ON d.ctid = may_run.place
    WHERE d.state = 'ready' AND d.run_at <= $1::timestamptz AND d.locked_until < clock_timestamp()
    ORDER BY d.run_at, d.id
    LIMIT least($8::bigint, $5::bigint)
    FOR UPDATE OF d SKIP LOCKED
), fresh AS (
    SELECT d.ctid AS place
    FROM may_run
    JOIN jobs d ON d.ctid = may_run.place
    WHERE d.state = 'ready' AND d.run_at <= $1::timestamptz AND d.locked_until IS NULL
    ORDER BY d.run_at, d.id
    LIMIT $5::bigint - (SELECT count(*) FROM suspects)
    FOR UPDATE OF d SKIP LOCKED
), claimed AS (
    UPDATE jobs j
    SET lease = j.lease + 1, attempts = j.attempts + 1,
        crashes = j.crashes + (j.locked_until IS NOT NULL)::int,
        locked_until = clock_timestamp() + make_interval(secs => $2::int)
    FROM (SELECT place FROM suspects UNION ALL SELECT place FROM fresh) AS due
    WHERE j.ctid = due.place
    RETURNING j.id, j.target, j.kind, j.payload::text, j.correlation_id, j.staged_at, j.attempts,
              j.crashes, j.lease, j.run_at
)
SELECT seen.last_key, c.id, c.target, c.kind, c.payload, c.correlation_id, c.staged_at, c.attempts,
       c.crashes, c.lease, c.run_at
FROM (SELECT max(ordering_key) FILTER (WHERE nr = $7::int) AS last_key FROM heads) AS seen
LEFT JOIN claimed c ON true
