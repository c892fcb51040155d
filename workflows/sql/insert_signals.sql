-- Only those that some run listens to: others have nobody who would take them.
INSERT INTO workflow_signals (signal_key, type, reference, amount, currency, provider, event_id,
                              received_at)
SELECT told.key, told.type, nullif(told.reference, ''), told.amount, nullif(told.currency, ''),
       told.provider, told.event_id, $8
FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[])
  AS told (key, type, reference, amount, currency, provider, event_id)
CROSS JOIN LATERAL (
    SELECT FROM workflow_runs run WHERE run.signal_key = told.key LIMIT 1) AS listening
