-- takes delivery_id bigint[], received_at timestamptz[], provider text[], method text[],
--       url text[], remote text[], headers bytea[], body bytea[]
INSERT INTO open_deliveries (delivery_id, received_at, provider, method, url, remote, headers, body)
SELECT unnest(:delivery_id), unnest(:received_at), unnest(:provider), unnest(:method),
       unnest(:url), unnest(:remote), unnest(:headers), unnest(:body)
