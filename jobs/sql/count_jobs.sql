-- $1: exact up to here; how many are over is then estimated.
SELECT 'staged', (SELECT count(*) FROM staged_jobs)
UNION ALL
SELECT 'ready', (SELECT count(*) FROM jobs WHERE state = 'ready' AND locked_until IS NULL)
UNION ALL
SELECT 'running', (SELECT count(*) FROM jobs WHERE state = 'ready' AND locked_until IS NOT NULL)
UNION ALL
SELECT 'dead', (SELECT count(*) FROM jobs WHERE state = 'dead')
UNION ALL
SELECT state, CASE WHEN counted < $1 THEN counted
                   ELSE greatest(counted, (SELECT reltuples::bigint FROM pg_class
                                           WHERE oid = 'jobs'::regclass)) END
FROM (SELECT 'done' AS state,
             (SELECT count(*) FROM (SELECT FROM jobs WHERE state = 'done' LIMIT $1) AS d) AS counted
      UNION ALL
      SELECT 'discarded',
             (SELECT count(*) FROM (SELECT FROM jobs WHERE state = 'discarded' LIMIT $1) AS d)
     ) AS ended
