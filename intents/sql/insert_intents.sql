-- Arrays are taken apart in the list of columns, not in FROM: there every value of every array
-- would be stored once more before it is used.
-- takes provider text[], event_id text[], event_type text[], status text[], outcome text[],
--       note text[], deliveries bigint[], body_sha256 bytea[], fingerprint bytea[], account text[],
--       object text[], sequence bigint[], effect_key text[], amount bigint[], currency text[],
--       correlation_id text[], received_at timestamptz[], plan text[], wake_at timestamptz[],
--       delivery_id bigint[], item_offset bigint[], item_length bigint[], now timestamptz,
--       segment integer, result text[]
INSERT INTO webhook_intents (segment, provider, event_id, event_type, status, outcome, note,
                             deliveries, body_sha256, fingerprint, account, object, sequence,
                             effect_key, amount, currency, correlation_id, received_at, plan,
                             wake_at, delivery_id, item_offset, item_length, result, attempts,
                             done_at)
SELECT :segment, provider, event_id, event_type, status, outcome, note, deliveries,
       body_sha256, fingerprint, account, object, sequence, effect_key, amount, currency,
       correlation_id, received_at, plan::jsonb, wake_at, delivery_id, item_offset, item_length,
       result::jsonb, 1,
       CASE WHEN status = 'done' THEN :now END
FROM (SELECT unnest(:provider) AS provider, unnest(:event_id) AS event_id,
             unnest(:event_type) AS event_type, unnest(:status) AS status,
             unnest(:outcome) AS outcome, unnest(:note) AS note,
             unnest(:deliveries) AS deliveries, unnest(:body_sha256) AS body_sha256,
             unnest(:fingerprint) AS fingerprint, unnest(:account) AS account,
             unnest(:object) AS object, unnest(:sequence) AS sequence,
             unnest(:effect_key) AS effect_key, unnest(:amount) AS amount,
             unnest(:currency) AS currency, unnest(:correlation_id) AS correlation_id,
             unnest(:received_at) AS received_at, unnest(:plan) AS plan,
             unnest(:wake_at) AS wake_at, unnest(:delivery_id) AS delivery_id,
             unnest(:item_offset) AS item_offset, unnest(:item_length) AS item_length,
             unnest(:result) AS result) AS i
