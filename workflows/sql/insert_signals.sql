-- Only those that some run listens to: others have nobody who would take them.
INSERT INTO workflow_signals (signal_key, type, reference, amount, currency, provider, event_id,
                              received_at)
SELECT key, type, nullif(reference, ''), amount, nullif(currency, ''), provider, event_id, $8
FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[])
  AS t (key, type, reference, amount, currency, provider, event_id)
WHERE EXISTS (SELECT FROM workflow_runs WHERE signal_key = key)
