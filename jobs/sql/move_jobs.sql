-- Moves exactly the rows that it locks, found again by ctid, as in claim_jobs.sql. A job that no
-- subscriber wants is done. From the sixty-four ids around :from_id on, at most :jobs_max. Kinds
-- that are routed are named by :routed_kind; the routes come as :kind, :type, :whole, :target and
-- :ordered.
-- takes from_id bigint, jobs_max bigint, now timestamptz, routed_kind text[], kind text[],
--       type text[], whole boolean[], target text[], ordered boolean[]
-- gives moved bigint, inserted bigint, newest_id bigint null
WITH taken AS MATERIALIZED (
    SELECT id, ctid AS place
    FROM staged_jobs
    WHERE id >> 6 >= :from_id >> 6
    ORDER BY id >> 6
    LIMIT :jobs_max
    FOR UPDATE SKIP LOCKED
), moved AS (
    DELETE FROM staged_jobs s
    USING taken
    WHERE s.ctid = taken.place
    RETURNING s.id, s.kind, s.payload, s.correlation_id, s.staged_at,
              s.kind = ANY (:routed_kind) AS routed
), routed AS (
    SELECT m.*, r.target, r.ordered, m.routed AND r.target IS NULL AS unwanted
    FROM moved m
    LEFT JOIN LATERAL (
        SELECT DISTINCT t.target, t.ordered
        FROM unnest(:kind, :type, :whole, :target, :ordered)
          AS t (kind, type, whole, target, ordered)
        WHERE m.routed AND t.kind = m.kind
          AND CASE WHEN t.whole THEN m.payload->>'type' = t.type
                   ELSE starts_with(m.payload->>'type', t.type) END) AS r ON true
), inserted AS (
    INSERT INTO jobs (id, kind, target, ordering_key, payload, correlation_id, run_at, staged_at)
    SELECT id, kind, coalesce(target, ''),
           CASE WHEN ordered THEN coalesce(nullif(payload->>'account', ''), '-') END,
           payload, correlation_id, :now, staged_at
    FROM routed
    WHERE NOT unwanted
    RETURNING 1
), done AS (
    INSERT INTO jobs_done (id, run_at, staged_at, done_at, lease, attempts, kind, target, state,
                           payload, correlation_id)
    SELECT id, :now, staged_at, :now, 0, 0, kind, '', 'done', payload,
           correlation_id
    FROM routed
    WHERE unwanted
)
SELECT (SELECT count(*) FROM moved) AS moved, (SELECT count(*) FROM inserted) AS inserted,
       (SELECT max(id) FROM taken) AS newest_id
