-- takes provider text[], event_id text[], segment bigint[], body_sha256 bytea[],
--       delivery_id bigint[], item_offset bigint[], item_length bigint[]
INSERT INTO redeliveries (provider, event_id, segment, body_sha256, delivery_id, item_offset,
                          item_length)
SELECT unnest(:provider), unnest(:event_id), unnest(:segment), unnest(:body_sha256),
       unnest(:delivery_id), unnest(:item_offset), unnest(:item_length)
ON CONFLICT DO NOTHING
