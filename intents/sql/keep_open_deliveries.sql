INSERT INTO open_deliveries (delivery_id, received_at, provider, method, url, remote, headers, body)
SELECT unnest($1::bigint[]), unnest($2::timestamptz[]), unnest($3::text[]), unnest($4::text[]),
       unnest($5::text[]), unnest($6::text[]), unnest($7::bytea[]), unnest($8::bytea[])
