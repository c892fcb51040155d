INSERT INTO redeliveries (provider, event_id, body_sha256, delivery_id, item_offset, item_length)
SELECT unnest($1::text[]), unnest($2::text[]), unnest($3::bytea[]), unnest($4::bigint[]),
       unnest($5::bigint[]), unnest($6::bigint[])
ON CONFLICT DO NOTHING
