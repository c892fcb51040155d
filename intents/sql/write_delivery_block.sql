-- $1 when the last of them arrived, $2 number of deliveries, $3 the deliveries, framed
INSERT INTO delivery_blocks (received_at, deliveries, raw)
VALUES ($1::timestamptz, $2::integer, $3::bytea)
RETURNING block_id
