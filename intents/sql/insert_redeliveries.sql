INSERT INTO redeliveries (provider, event_id, segment, body_sha256, delivery_id, item_offset,
                          item_length)
SELECT unnest($1::text[]), unnest($2::text[]), unnest($3::bigint[]), unnest($4::bytea[]),
       unnest($5::bigint[]), unnest($6::bigint[]), unnest($7::bigint[])
ON CONFLICT DO NOTHING
