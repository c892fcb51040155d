-- Arrays are taken apart in the list of columns, not in FROM: there every value of every array
-- would be stored once more before it is used.
INSERT INTO webhook_intents (segment, provider, event_id, event_type, status, outcome, note,
                             deliveries, body_sha256, fingerprint, account, object, sequence,
                             effect_key, amount, currency, correlation_id, received_at, plan,
                             wake_at, delivery_id, item_offset, item_length, result, attempts,
                             done_at)
SELECT $24::integer, provider, event_id, event_type, status, outcome, note, deliveries,
       body_sha256, fingerprint, account, object, sequence, effect_key, amount, currency,
       correlation_id, received_at, plan::jsonb, wake_at, delivery_id, item_offset, item_length,
       result::jsonb, 1,
       CASE WHEN status = 'done' THEN $23::timestamptz END
FROM (SELECT unnest($1::text[]) AS provider, unnest($2::text[]) AS event_id,
             unnest($3::text[]) AS event_type, unnest($4::text[]) AS status,
             unnest($5::text[]) AS outcome, unnest($6::text[]) AS note,
             unnest($7::bigint[]) AS deliveries, unnest($8::bytea[]) AS body_sha256,
             unnest($9::bytea[]) AS fingerprint, unnest($10::text[]) AS account,
             unnest($11::text[]) AS object, unnest($12::bigint[]) AS sequence,
             unnest($13::text[]) AS effect_key, unnest($14::bigint[]) AS amount,
             unnest($15::text[]) AS currency, unnest($16::text[]) AS correlation_id,
             unnest($17::timestamptz[]) AS received_at, unnest($18::text[]) AS plan,
             unnest($19::timestamptz[]) AS wake_at, unnest($20::bigint[]) AS delivery_id,
             unnest($21::bigint[]) AS item_offset, unnest($22::bigint[]) AS item_length,
             unnest($25::text[]) AS result) AS i
