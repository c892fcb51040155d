-- Answered, and past their lifetime since before $1; at most $2. The rows are
-- locked, and found again by their place (ctid): a join by key may be planned as a scan of all.
DELETE FROM idempotency_keys k
USING (SELECT ctid AS place
       FROM idempotency_keys
       WHERE status IS NOT NULL AND expires_at < $1::timestamptz
       ORDER BY expires_at
       LIMIT $2
       FOR UPDATE SKIP LOCKED) AS old
WHERE k.ctid = old.place
