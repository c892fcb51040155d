-- :state_before is the state as it was read.
-- takes payment_id text, state_before text, state text, note text null, reference text null,
--       next_action jsonb null, action_deadline timestamptz null, captured bigint,
--       overpaid boolean, cancel_requested boolean, now timestamptz, payment_key text null,
--       capturable bigint, returned bigint, capture_before timestamptz null
UPDATE payments
SET state = :state, note = :note, reference = :reference, next_action = :next_action,
    action_deadline = :action_deadline,
    captured = :captured, overpaid = :overpaid, cancel_requested = :cancel_requested,
    updated_at = :now, payment_key = :payment_key, capturable = :capturable,
    returned = :returned, capture_before = :capture_before
WHERE payment_id = :payment_id AND state = :state_before
