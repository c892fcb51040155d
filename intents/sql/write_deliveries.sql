-- The bytes of all rows travel as one parameter, $1, cut here by offset and length: an array of
-- bytea would have to be written out in hex.
INSERT INTO webhook_deliveries (received_at, provider, event_id, verdict, diagnosis, method, url,
                                headers, body, remote, batch_head)
SELECT received_at, provider, event_id, verdict, diagnosis, method, url,
       substring($1::bytea FROM header_from FOR header_length),
       substring($1::bytea FROM header_from + header_length FOR body_length), remote,
       batch_head
FROM unnest($2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
            $8::text[], $9::int[], $10::int[], $11::int[], $12::text[],
            $13::text[])
  AS d (received_at, provider, event_id, verdict, diagnosis, method, url, header_from,
        header_length, body_length, remote, batch_head)
