-- Exact up to :exact_max, and estimated beyond. Every count reads one index from its beginning, and
-- no more of it than that. Discarded jobs are few: they count as done where both are estimated.
-- takes exact_max bigint
-- gives state text, jobs bigint
WITH staged AS (
    SELECT count(*) AS counted FROM (SELECT FROM staged_jobs ORDER BY id >> 6 LIMIT :exact_max) AS s
), ready AS (
    SELECT count(*) AS counted, count(locked_until) AS leased
    FROM ((SELECT locked_until FROM jobs WHERE state = 'ready' AND ordering_key IS NULL
           ORDER BY kind, target, run_at, id LIMIT :exact_max)
          UNION ALL
          (SELECT locked_until FROM jobs WHERE state = 'ready' AND ordering_key IS NOT NULL
           ORDER BY kind, target, ordering_key, id LIMIT :exact_max)) AS r
), dead AS (
    SELECT count(*) AS counted
    FROM (SELECT FROM jobs WHERE state = 'dead' ORDER BY done_at LIMIT :exact_max) AS d
), over AS (
    SELECT count(*) AS counted, count(*) FILTER (WHERE state = 'discarded') AS discarded
    FROM (SELECT state FROM jobs_done ORDER BY id LIMIT :exact_max) AS d
), estimated AS (
    SELECT sum(rows) FILTER (WHERE relname = 'staged_jobs_in_order')::bigint AS staged,
           sum(rows) FILTER (WHERE relname IN ('jobs_due', 'jobs_in_order'))::bigint AS ready,
           sum(rows) FILTER (WHERE relname = 'jobs_dead')::bigint AS dead
    FROM (SELECT c.relname, greatest(c.reltuples, 0) AS rows
          FROM pg_index i
          JOIN pg_class c ON c.oid = i.indexrelid
          WHERE i.indrelid IN ('jobs'::regclass, 'staged_jobs'::regclass)) AS indexes
), estimated_over AS (
    SELECT coalesce(sum(greatest(c.reltuples, 0)), 0)::bigint AS rows
    FROM pg_inherits h
    JOIN pg_class c ON c.oid = h.inhrelid
    WHERE h.inhparent = 'jobs_done'::regclass
)
SELECT 'staged' AS state,
       CASE WHEN s.counted < :exact_max THEN s.counted
            ELSE greatest(s.counted, e.staged) END AS jobs
FROM staged s, estimated e
UNION ALL
SELECT 'ready', CASE WHEN r.counted < :exact_max THEN r.counted
                     ELSE greatest(r.counted, e.ready) END - r.leased
FROM ready r, estimated e
UNION ALL
SELECT 'running', r.leased FROM ready r
UNION ALL
SELECT 'dead', CASE WHEN d.counted < :exact_max THEN d.counted ELSE greatest(d.counted, e.dead) END
FROM dead d, estimated e
UNION ALL
SELECT 'done', CASE WHEN o.counted < :exact_max THEN o.counted ELSE greatest(o.counted, e.rows) END
               - o.discarded
FROM over o, estimated_over e
UNION ALL
SELECT 'discarded', o.discarded FROM over o
