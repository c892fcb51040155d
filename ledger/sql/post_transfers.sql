-- One row each; arrays of equal length. An empty provider, event id or payment is stored as NULL.
INSERT INTO transfers (effect_key, debit_account, credit_account, currency, amount,
                       provider, event_id, sequence, posted_at, payment_id)
SELECT effect_key, debit, credit, currency, amount, nullif(provider, ''), nullif(event_id, ''),
       sequence, $9::timestamptz, nullif(payment_id, '')
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[],
            $8::bigint[], $10::text[])
  AS t (effect_key, debit, credit, currency, amount, provider, event_id, sequence, payment_id)
