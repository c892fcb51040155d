-- $2 is the state as it was read.
UPDATE payments
SET state = $3, note = $4, reference = $5, next_action = $6::jsonb, action_deadline = $7,
    captured = $8, overpaid = $9, cancel_requested = $10, updated_at = $11,
    payment_key = $12, capturable = $13, returned = $14, capture_before = $15
WHERE payment_id = $1 AND state = $2
