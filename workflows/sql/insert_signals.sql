-- Only signals that some run listens to are stored: no run would consume the others.
-- takes key text[], type text[], reference text[], amount bigint[], currency text[],
--       provider text[], event_id text[], now timestamptz
INSERT INTO workflow_signals (signal_key, type, reference, amount, currency, provider, event_id,
                              received_at)
SELECT told.key, told.type, nullif(told.reference, ''), told.amount, nullif(told.currency, ''),
       told.provider, told.event_id, :now
FROM unnest(:key, :type, :reference, :amount, :currency, :provider, :event_id)
  AS told (key, type, reference, amount, currency, provider, event_id)
CROSS JOIN LATERAL (
    SELECT FROM workflow_runs run WHERE run.signal_key = told.key LIMIT 1) AS listening
