-- $2 is the state as it was read.
UPDATE refunds
SET state = $3, note = $4, reference = $5, updated_at = $6, amount = $7
WHERE refund_id = $1 AND state = $2
