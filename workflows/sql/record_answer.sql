UPDATE external_calls
SET outcome = coalesce($2, outcome), in_doubt = $3, http_status = $4, answer = $5,
    reference = coalesce($6, reference), moved = coalesce($7, moved),
    currency = coalesce($8, currency), note = $9, lookups = $10, not_found = $11, unanswered = $12,
    decided_at = CASE WHEN $2 IN ('succeeded', 'declined', 'canceled', 'failed')
                 THEN $13::timestamptz END
WHERE key = $1
