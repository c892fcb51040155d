-- :received_at is when the last of the :deliveries arrived; :raw are they, framed.
-- takes received_at timestamptz, deliveries integer, raw bytea
-- gives block_id bigint
INSERT INTO delivery_blocks (received_at, deliveries, raw)
VALUES (:received_at, :deliveries, :raw)
RETURNING block_id
