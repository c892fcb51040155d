-- One lane whose jobs keep an order for each key. Only the first of a key may run, and not while
-- one before it is still staged. Scans :keys_max keys at most, from :after_key on, so that blocked
-- keys hold up no others. At most :room, of which at most :suspects_max whose worker crashed. The
-- first column of every row is the last key that was looked at, where there may be more; without a
-- job there is one row, of nulls. Updated by ctid, as in claim_jobs.sql.
-- takes now timestamptz, lease_seconds integer, kind text, target text, room bigint,
--       after_key text, keys_max integer, suspects_max bigint
-- gives last_key text null, {{claimed_job}} null
WITH RECURSIVE heads AS (
    (SELECT h.ordering_key, h.id, h.ctid AS place, 1 AS nr
     FROM jobs h
     WHERE h.kind = :kind AND h.target = :target AND h.state = 'ready'
       AND h.ordering_key IS NOT NULL AND h.ordering_key > :after_key
     ORDER BY h.ordering_key, h.id
     LIMIT 1)
    UNION ALL
    SELECT following.ordering_key, following.id, following.place, heads.nr + 1
    FROM heads
    CROSS JOIN LATERAL (
        SELECT n.ordering_key, n.id, n.ctid AS place
        FROM jobs n
        WHERE n.kind = :kind AND n.target = :target AND n.state = 'ready'
          AND n.ordering_key IS NOT NULL AND n.ordering_key > heads.ordering_key
        ORDER BY n.ordering_key, n.id
        LIMIT 1) AS following
    WHERE heads.nr < :keys_max
), staged AS MATERIALIZED (
    -- Evaluated once, up to the newest of them: later staged jobs hold up none of these.
    SELECT coalesce(nullif(s.payload->>'account', ''), '-') AS ordering_key, min(s.id) AS id
    FROM staged_jobs s
    WHERE s.id >> 6 <= (SELECT max(heads.id) >> 6 FROM heads)
      AND s.id < (SELECT max(heads.id) FROM heads) AND s.kind = :kind
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
    WHERE d.state = 'ready' AND d.run_at <= :now AND d.locked_until < clock_timestamp()
    ORDER BY d.run_at, d.id
    LIMIT least(:suspects_max, :room)
    FOR UPDATE OF d SKIP LOCKED
), fresh AS (
    SELECT d.ctid AS place
    FROM may_run
    JOIN jobs d ON d.ctid = may_run.place
    WHERE d.state = 'ready' AND d.run_at <= :now AND d.locked_until IS NULL
    ORDER BY d.run_at, d.id
    LIMIT :room - (SELECT count(*) FROM suspects)
    FOR UPDATE OF d SKIP LOCKED
), claimed AS (
    UPDATE jobs j
    SET lease = j.lease + 1, attempts = j.attempts + 1,
        crashes = j.crashes + (j.locked_until IS NOT NULL)::int,
        locked_until = clock_timestamp() + make_interval(secs => :lease_seconds)
    FROM (SELECT place FROM suspects UNION ALL SELECT place FROM fresh) AS due
    WHERE j.ctid = due.place
    RETURNING {{j.claimed_job}}
)
SELECT seen.last_key, {{c.claimed_job}}
FROM (SELECT max(ordering_key) FILTER (WHERE nr = :keys_max) AS last_key FROM heads) AS seen
LEFT JOIN claimed c ON true
