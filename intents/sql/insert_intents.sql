INSERT INTO webhook_intents (provider, event_id, event_type, status, outcome, note, wake_at,
                             attempts, deliveries, body_sha256, fingerprint, account, object,
                             sequence, effect_key, amount, currency, correlation_id, received_at,
                             done_at)
SELECT provider, event_id, event_type, status, outcome, nullif(note, ''),
       CASE WHEN status IN ('pending', 'parked') THEN $18::timestamptz + interval '1 minute' END,
       1, deliveries, decode(body_sha256, 'hex'), fingerprint, account, nullif(object, ''),
       sequence, effect_key, amount, currency, correlation_id, received_at,
       CASE WHEN status = 'done' THEN $18::timestamptz END
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[],
            $8::text[], $9::text[], $10::text[], $11::text[], $12::bigint[], $13::text[],
            $14::bigint[], $15::text[], $16::text[], $17::timestamptz[])
  AS i (provider, event_id, event_type, status, outcome, note, deliveries, body_sha256,
        fingerprint, account, object, sequence, effect_key, amount, currency, correlation_id,
        received_at)
