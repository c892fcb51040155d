-- A lower total without a number, which is stale: an operator has looked at it.
-- takes segment bigint, provider text, event_id text, lease bigint, now timestamptz
-- gives dismissed boolean
UPDATE webhook_intents
SET outcome = 'dismissed', lease = lease + 1, done_at = :now
WHERE segment = :segment AND provider = :provider AND event_id = :event_id AND lease = :lease
  AND outcome = 'stale' AND note = 'total_fell'
RETURNING true AS dismissed
