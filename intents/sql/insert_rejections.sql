-- takes received_at timestamptz[], provider text[], diagnosis text[], method text[], url text[],
--       remote text[], headers bytea[], body bytea[]
INSERT INTO rejections (received_at, provider, diagnosis, method, url, remote, headers, body)
SELECT unnest(:received_at), unnest(:provider), unnest(:diagnosis), unnest(:method),
       unnest(:url), unnest(:remote), unnest(:headers), unnest(:body)
