INSERT INTO webhook_intents (provider, event_id, event_type, status, outcome, note, deliveries,
                             body_sha256, fingerprint, account, object, sequence, effect_key,
                             amount, currency, correlation_id, received_at, plan, wake_at,
                             attempts, done_at)
SELECT provider, event_id, event_type, status, outcome, nullif(note, ''), deliveries,
       decode(body_sha256, 'hex'), fingerprint, nullif(account, ''), nullif(object, ''), sequence,
       effect_key, amount, currency, correlation_id, received_at, plan::jsonb, wake_at, 1,
       CASE WHEN status = 'done' THEN $20::timestamptz END
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[],
            $8::text[], $9::text[], $10::text[], $11::text[], $12::bigint[], $13::text[],
            $14::bigint[], $15::text[], $16::text[], $17::timestamptz[], $18::text[],
            $19::timestamptz[])
  AS i (provider, event_id, event_type, status, outcome, note, deliveries, body_sha256,
        fingerprint, account, object, sequence, effect_key, amount, currency, correlation_id,
        received_at, plan, wake_at)
