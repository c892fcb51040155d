-- Answered, and past their lifetime since before $1; at most $2.
DELETE FROM idempotency_keys k
USING (SELECT principal, route, key
       FROM idempotency_keys
       WHERE status IS NOT NULL AND expires_at < $1::timestamptz
       ORDER BY expires_at
       LIMIT $2
       FOR UPDATE SKIP LOCKED) AS old
WHERE k.principal = old.principal AND k.route = old.route AND k.key = old.key
