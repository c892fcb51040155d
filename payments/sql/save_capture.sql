-- :state_before is the state as it was read.
-- takes capture_id text, state_before text, state text, note text null, reference text null,
--       amount bigint, now timestamptz
UPDATE captures
SET state = :state, note = :note, reference = :reference, amount = :amount, updated_at = :now
WHERE capture_id = :capture_id AND state = :state_before
