INSERT INTO rejections (received_at, provider, diagnosis, method, url, remote, headers, body)
SELECT unnest($1::timestamptz[]), unnest($2::text[]), unnest($3::text[]), unnest($4::text[]),
       unnest($5::text[]), unnest($6::text[]), unnest($7::bytea[]), unnest($8::bytea[])
