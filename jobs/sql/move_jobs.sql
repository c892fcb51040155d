-- Moves exactly the rows that it locks, found again by their place (ctid), as in claim_jobs.sql.
-- One that no subscriber wants is done. $1 from the sixty-four ids around this one on, $2 at most
-- so many, $3 what time it is, $4 the kinds that are routed; the routes: $5 kind, $6 type,
-- $7 whole, $8 target, $9 ordered.
WITH taken AS MATERIALIZED (
    SELECT id, ctid AS place
    FROM staged_jobs
    WHERE id >> 6 >= $1::bigint >> 6
    ORDER BY id >> 6
    LIMIT $2
    FOR UPDATE SKIP LOCKED
), moved AS (
    DELETE FROM staged_jobs s
    USING taken
    WHERE s.ctid = taken.place
    RETURNING s.id, s.kind, s.payload, s.correlation_id, s.staged_at, s.kind = ANY ($4) AS routed
), routed AS (
    SELECT m.*, r.target, r.ordered, m.routed AND r.target IS NULL AS unwanted
    FROM moved m
    LEFT JOIN LATERAL (
        SELECT DISTINCT t.target, t.ordered
        FROM unnest($5::text[], $6::text[], $7::boolean[], $8::text[], $9::boolean[])
          AS t (kind, type, whole, target, ordered)
        WHERE m.routed AND t.kind = m.kind
          AND CASE WHEN t.whole THEN m.payload->>'type' = t.type
                   ELSE starts_with(m.payload->>'type', t.type) END) AS r ON true
), inserted AS (
    INSERT INTO jobs (id, kind, target, ordering_key, payload, correlation_id, run_at, staged_at)
    SELECT id, kind, coalesce(target, ''),
           CASE WHEN ordered THEN coalesce(nullif(payload->>'account', ''), '-') END,
           payload, correlation_id, $3::timestamptz, staged_at
    FROM routed
    WHERE NOT unwanted
    RETURNING 1
), done AS (
    INSERT INTO jobs_done (id, run_at, staged_at, done_at, lease, attempts, kind, target, state,
                           payload, correlation_id)
    SELECT id, $3::timestamptz, staged_at, $3::timestamptz, 0, 0, kind, '', 'done', payload,
           correlation_id
    FROM routed
    WHERE unwanted
)
SELECT (SELECT count(*) FROM moved), (SELECT count(*) FROM inserted), (SELECT max(id) FROM taken)
