-- :state_before is the state as it was read.
-- takes refund_id text, state_before text, state text, note text null, reference text null,
--       amount bigint, now timestamptz
UPDATE refunds
SET state = :state, note = :note, reference = :reference, amount = :amount, updated_at = :now
WHERE refund_id = :refund_id AND state = :state_before
