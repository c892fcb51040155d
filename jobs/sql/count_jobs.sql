-- $1: exact up to here, and estimated beyond. Every count reads one index from its beginning, and
-- no more of it than that. Discarded jobs are few: they count as done where both are estimated.
WITH staged AS (
    SELECT count(*) AS counted FROM (SELECT FROM staged_jobs ORDER BY id >> 6 LIMIT $1) AS s
), ready AS (
    SELECT count(*) AS counted, count(locked_until) AS leased
    FROM ((SELECT locked_until FROM jobs WHERE state = 'ready' AND ordering_key IS NULL
           ORDER BY kind, target, run_at, id LIMIT $1)
          UNION ALL
          (SELECT locked_until FROM jobs WHERE state = 'ready' AND ordering_key IS NOT NULL
           ORDER BY kind, target, ordering_key, id LIMIT $1)) AS r
), dead AS (
    SELECT count(*) AS counted
    FROM (SELECT FROM jobs WHERE state = 'dead' ORDER BY done_at LIMIT $1) AS d
), over AS (
    SELECT count(*) AS counted, count(*) FILTER (WHERE state = 'discarded') AS discarded
    FROM (SELECT state FROM jobs_done ORDER BY id LIMIT $1) AS d
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
SELECT 'staged', CASE WHEN s.counted < $1 THEN s.counted ELSE greatest(s.counted, e.staged) END
FROM staged s, estimated e
UNION ALL
SELECT 'ready', CASE WHEN r.counted < $1 THEN r.counted ELSE greatest(r.counted, e.ready) END
                - r.leased
FROM ready r, estimated e
UNION ALL
SELECT 'running', r.leased FROM ready r
UNION ALL
SELECT 'dead', CASE WHEN d.counted < $1 THEN d.counted ELSE greatest(d.counted, e.dead) END
FROM dead d, estimated e
UNION ALL
SELECT 'done', CASE WHEN o.counted < $1 THEN o.counted ELSE greatest(o.counted, e.rows) END
               - o.discarded
FROM over o, estimated_over e
UNION ALL
SELECT 'discarded', o.discarded FROM over o
