INSERT INTO webhook_deliveries (received_at, provider, event_id, verdict, diagnosis, method, url,
                                headers, body, remote, batch_head)
SELECT unnest($1::timestamptz[]), unnest($2::text[]), unnest($3::text[]), unnest($4::text[]),
       unnest($5::text[]), unnest($6::text[]), unnest($7::text[]), unnest($8::bytea[]),
       unnest($9::bytea[]), unnest($10::text[]), unnest($11::text[])
