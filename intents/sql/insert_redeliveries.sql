INSERT INTO redeliveries (provider, event_id, delivery_id, item_offset, item_length)
SELECT unnest($1::text[]), unnest($2::text[]), unnest($3::bigint[]), unnest($4::bigint[]),
       unnest($5::bigint[])
ON CONFLICT DO NOTHING
