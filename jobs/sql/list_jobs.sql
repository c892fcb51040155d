-- Newest first. $7, $8: the last row of the page before, or NULL; $9: one more than wanted.
(SELECT id, target, kind,
        CASE WHEN state = 'ready' AND locked_until IS NOT NULL THEN 'running' ELSE state END,
        correlation_id, attempts, run_at, staged_at, done_at, last_error, payload::text
 FROM jobs
 WHERE ($1::text IS NULL OR CASE $1 WHEN 'running' THEN state = 'ready' AND locked_until IS NOT NULL
                                    WHEN 'ready' THEN state = 'ready' AND locked_until IS NULL
                                    ELSE state = $1 END)
   AND ($2::text IS NULL OR kind = $2)
   AND ($3::text IS NULL OR target = $3)
   AND ($4::text IS NULL OR correlation_id = $4)
   AND ($5::timestamptz IS NULL OR staged_at >= $5)
   AND ($6::timestamptz IS NULL OR staged_at < $6)
   AND ($7::bigint IS NULL OR (id, target) < ($7, $8::text))
 ORDER BY id DESC, target DESC
 LIMIT $9)
UNION ALL
(SELECT id, target, kind, state, correlation_id, attempts, run_at, staged_at, done_at, last_error,
        payload::text
 FROM jobs_done
 WHERE ($1::text IS NULL OR state = $1)
   AND ($2::text IS NULL OR kind = $2)
   AND ($3::text IS NULL OR target = $3)
   AND ($4::text IS NULL OR correlation_id = $4)
   AND ($5::timestamptz IS NULL OR staged_at >= $5)
   AND ($6::timestamptz IS NULL OR staged_at < $6)
   AND ($7::bigint IS NULL OR (id, target) < ($7, $8::text))
 ORDER BY id DESC, target DESC
 LIMIT $9)
ORDER BY 1 DESC, 2 DESC
LIMIT $9
