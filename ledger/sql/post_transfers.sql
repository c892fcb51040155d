-- One row each; arrays of equal length. Taken apart in the list of columns and not in FROM: there
-- every value of every array would be stored once more before it is used.
INSERT INTO transfers (effect_key, debit_account, credit_account, currency, amount,
                       provider, event_id, sequence, posted_at, payment_id,
                       refund_id)
SELECT unnest($1::text[]), unnest($2::text[]), unnest($3::text[]), unnest($4::text[]),
       unnest($5::bigint[]), unnest($6::text[]), unnest($7::text[]), unnest($8::bigint[]),
       $9::timestamptz, unnest($10::text[]), unnest($11::text[])
