-- Deletes answered keys whose lifetime ended before :before; at most :keys_max. The rows are
-- locked, and found again by their place (ctid): a join by key may be planned as a scan of all.
-- takes before timestamptz, keys_max bigint
DELETE FROM idempotency_keys k
USING (SELECT ctid AS place
       FROM idempotency_keys
       WHERE status IS NOT NULL AND expires_at < :before
       ORDER BY expires_at
       LIMIT :keys_max
       FOR UPDATE SKIP LOCKED) AS old
WHERE k.ctid = old.place
