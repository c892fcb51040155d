-- Writes the results of jobs, by the holder of each lease; :run_at is the next attempt. Found one
-- by one: the LIMIT keeps the planner from any other join, and ctid keeps it from finding them a
-- second time. A done job moves to jobs_done.
-- takes id bigint[], target text[], lease bigint[], state text[], run_at timestamptz[],
--       error text[], given_back boolean[], now timestamptz
-- gives written bigint
WITH ended AS MATERIALIZED (
    SELECT e.*, own.place
    FROM unnest(:id, :target, :lease, :state, :run_at, :error, :given_back)
      AS e (id, target, lease, state, run_at, error, given_back)
    CROSS JOIN LATERAL (SELECT o.ctid AS place
                        FROM jobs o
                        WHERE o.id = e.id AND o.target = e.target
                        LIMIT 1) AS own
), again AS (
    UPDATE jobs j
    SET state = f.state, run_at = coalesce(f.run_at, j.run_at),
        last_error = coalesce(f.error, j.last_error),
        attempts = j.attempts - f.given_back::int,
        crashes = CASE WHEN f.given_back THEN j.crashes ELSE 0 END,
        locked_until = NULL,
        done_at = CASE WHEN f.state = 'dead' THEN :now END
    FROM ended f
    WHERE j.ctid = f.place AND j.lease = f.lease AND j.state = 'ready' AND f.state <> 'done'
    RETURNING 1
), over AS (
    DELETE FROM jobs j
    USING ended f
    WHERE j.ctid = f.place AND j.lease = f.lease AND j.state = 'ready' AND f.state = 'done'
    RETURNING j.id, j.run_at, j.staged_at, j.lease, j.attempts, j.kind, j.target, j.ordering_key,
              j.payload, j.correlation_id, coalesce(f.error, j.last_error) AS last_error
), kept AS (
    INSERT INTO jobs_done (id, run_at, staged_at, done_at, lease, attempts, kind, target,
                           ordering_key, state, payload, correlation_id, last_error)
    SELECT id, run_at, staged_at, :now, lease, attempts, kind, target, ordering_key,
           'done', payload, correlation_id, last_error
    FROM over
    RETURNING 1
)
SELECT (SELECT count(*) FROM again) + (SELECT count(*) FROM kept) AS written
