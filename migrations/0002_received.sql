-- Deliveries, the events in them, and the events that cannot be applied yet.
SET LOCAL ROLE pawl_owner;
SET LOCAL search_path = pawl, pg_temp;

-- Events are kept in segments of some millions, the newest of which takes the new ones. The segment
-- is the beginning of an event's key, so that a new key lands in the part of the index that is in
-- memory, however random the ids are and however many came before. A sealed segment takes no new
-- event any more; its filter says of nearly every other event that it is not in it.
CREATE TABLE segments (
    segment     integer          NOT NULL,
    opened_at   timestamptz      NOT NULL,
    rows_before bigint           NOT NULL,
    sealed_at   timestamptz,
    keys        bigint,
    token       text COLLATE "C",
    filter      bytea,
    doubles     text[]           NOT NULL DEFAULT '{}',
    CONSTRAINT segments_pkey PRIMARY KEY (segment),
    CONSTRAINT segments_numbered_from_one CHECK (segment > 0),
    CONSTRAINT segments_sealed_whole CHECK (
        num_nulls(sealed_at, keys, token, filter) IN (0, 4))
);
ALTER TABLE segments ALTER COLUMN filter SET STORAGE EXTERNAL;
INSERT INTO segments (segment, opened_at, rows_before) VALUES (1, clock_timestamp(), 0);
COMMENT ON TABLE segments IS
    'The segments of webhook_intents; the one with the highest number takes new events.';
COMMENT ON COLUMN segments.segment IS 'Number of the segment.';
COMMENT ON COLUMN segments.opened_at IS 'From when on it took new events.';
COMMENT ON COLUMN segments.rows_before IS
    'The server''s count of rows inserted into webhook_intents when it was opened.';
COMMENT ON COLUMN segments.sealed_at IS 'When it was sealed; null: events may be inserted.';
COMMENT ON COLUMN segments.keys IS 'Number of its events when it was sealed.';
COMMENT ON COLUMN segments.token IS
    'Made of the checksums of its filter and of those before it.';
COMMENT ON COLUMN segments.filter IS
    'Bloom filter of its events: it holds none that the filter denies (segments/key_filter).';
COMMENT ON COLUMN segments.doubles IS
    'Its events that stand in an older segment, too, as <provider>/<event_id>: a fault.';

-- received_at in milliseconds: its index holds the events of one millisecond in one entry.
CREATE TABLE webhook_intents (
    segment        integer          NOT NULL,
    received_at    timestamptz(3)   NOT NULL,
    done_at        timestamptz,
    occurred_at    timestamptz,
    wake_at        timestamptz,
    locked_at      timestamptz,
    lease          bigint           NOT NULL DEFAULT 0,
    deliveries     bigint           NOT NULL DEFAULT 1,
    sequence       bigint,
    amount         bigint,
    delivery_id    bigint,
    item_offset    integer,
    item_length    integer,
    attempts       integer          NOT NULL DEFAULT 0,
    provider       text COLLATE "C" NOT NULL,
    event_id       text COLLATE "C" NOT NULL,
    event_type     text             NOT NULL,
    status         text             NOT NULL,
    outcome        text             NOT NULL,
    source         text             NOT NULL DEFAULT 'webhook',
    note           text,
    body_sha256    bytea            NOT NULL,
    fingerprint    bytea            NOT NULL,
    account        text COLLATE "C",
    object         text COLLATE "C",
    effect_key     text COLLATE "C",
    currency       text COLLATE "C",
    correlation_id text COLLATE "C" NOT NULL,
    result         jsonb,
    plan           jsonb,
    CONSTRAINT webhook_intents_pkey PRIMARY KEY (segment, provider, event_id),
    CONSTRAINT webhook_intents_status_known
        CHECK (status IN ('pending', 'done', 'parked', 'quarantined')),
    CONSTRAINT webhook_intents_outcome_known
        CHECK (outcome IN ('pending', 'applied', 'applied_late', 'duplicate_effect', 'stale',
                           'ignored', 'started', 'parked', 'quarantined', 'dismissed')),
    CONSTRAINT webhook_intents_status_fits_outcome CHECK (
        (status IN ('pending', 'parked', 'quarantined') AND outcome = status)
        OR (status = 'done' AND outcome NOT IN ('pending', 'parked', 'quarantined'))),
    CONSTRAINT webhook_intents_source_known
        CHECK (source IN ('webhook', 'replay', 'backfill', 'kafka', 'api', 'operator')),
    CONSTRAINT webhook_intents_done_at_when_done CHECK ((done_at IS NULL) = (status <> 'done')),
    CONSTRAINT webhook_intents_waiting_will_wake
        CHECK (status NOT IN ('pending', 'parked') OR wake_at IS NOT NULL),
    CONSTRAINT webhook_intents_quarantine_named CHECK (status <> 'quarantined' OR note IS NOT NULL)
) WITH (fillfactor = 90, autovacuum_vacuum_insert_scale_factor = 0,
        autovacuum_vacuum_insert_threshold = 1000000, autovacuum_analyze_scale_factor = 0.01);
CREATE INDEX webhook_intents_unfinished ON webhook_intents (wake_at)
    WHERE status IN ('pending', 'parked');
-- Deliveries whose bytes are still needed.
CREATE INDEX webhook_intents_open ON webhook_intents (delivery_id)
    WHERE status <> 'done' OR note = 'nothing_to_return';
-- Candidates for purge_intents; events that moved money are not in it, and cost it no space.
CREATE INDEX webhook_intents_purgeable ON webhook_intents (provider, received_at)
    WHERE outcome IN ('duplicate_effect', 'stale', 'ignored', 'started');
-- Lower totals without a number: listed for attention until they are dismissed.
CREATE INDEX webhook_intents_fell ON webhook_intents (provider, received_at)
    WHERE outcome = 'stale' AND note = 'total_fell';
CREATE INDEX webhook_intents_received_at ON webhook_intents (received_at);
COMMENT ON TABLE webhook_intents IS
    'One row for each verified event: its dedup slot, its outcome, and what it meant.';
COMMENT ON COLUMN webhook_intents.segment IS 'The segment that was open when it arrived.';
COMMENT ON COLUMN webhook_intents.received_at IS 'When its first delivery arrived.';
COMMENT ON COLUMN webhook_intents.done_at IS 'When it became done.';
COMMENT ON COLUMN webhook_intents.occurred_at IS 'When it happened, by the provider''s clock.';
COMMENT ON COLUMN webhook_intents.wake_at IS 'When the sweeper polls an unfinished event again.';
COMMENT ON COLUMN webhook_intents.locked_at IS 'When the current lease was taken.';
COMMENT ON COLUMN webhook_intents.lease IS
    'Fencing token: increases with each claim; a write under an older one is rejected.';
COMMENT ON COLUMN webhook_intents.deliveries IS 'Deliveries of this event, redeliveries included.';
COMMENT ON COLUMN webhook_intents.sequence IS
    'The provider''s number of the event in its sequence.';
COMMENT ON COLUMN webhook_intents.amount IS
    'Amount in minor units: what moved if it was posted, otherwise what the event reports.';
COMMENT ON COLUMN webhook_intents.delivery_id IS 'The delivery that has the event''s bytes.';
COMMENT ON COLUMN webhook_intents.item_offset IS
    'Where the event''s bytes begin in the delivery''s body; 0 unless the delivery is a batch.';
COMMENT ON COLUMN webhook_intents.item_length IS 'Number of the event''s bytes in that body.';
COMMENT ON COLUMN webhook_intents.attempts IS
    'Attempts to process it; of an unfinished event, those since it was last parked.';
COMMENT ON COLUMN webhook_intents.provider IS 'Name of the provider: {provider} in the URL.';
COMMENT ON COLUMN webhook_intents.event_id IS
    'The provider''s id of the event; <id>~<hash> where that id was taken by other content.';
COMMENT ON COLUMN webhook_intents.event_type IS 'The provider''s type of the event.';
COMMENT ON COLUMN webhook_intents.status IS 'pending, done, parked or quarantined.';
COMMENT ON COLUMN webhook_intents.outcome IS 'What became of the event; exactly one.';
COMMENT ON COLUMN webhook_intents.source IS
    'How the event arrived: webhook, replay, backfill, kafka, api or operator.';
COMMENT ON COLUMN webhook_intents.note IS
    'The dependency of a parked event, the reason of a quarantined one, else a remark.';
COMMENT ON COLUMN webhook_intents.body_sha256 IS 'SHA-256 of the event''s bytes.';
COMMENT ON COLUMN webhook_intents.fingerprint IS
    'Hash of the fields that were read; equal ids with different fingerprints conflict.';
COMMENT ON COLUMN webhook_intents.account IS 'The account that the event names.';
COMMENT ON COLUMN webhook_intents.object IS 'The provider''s object that the event is about.';
COMMENT ON COLUMN webhook_intents.effect_key IS 'Effect key of its movement.';
COMMENT ON COLUMN webhook_intents.currency IS 'ISO 4217 code of amount.';
COMMENT ON COLUMN webhook_intents.correlation_id IS
    'Links the event to its jobs, runs, calls and log lines.';
COMMENT ON COLUMN webhook_intents.result IS 'Details of the outcome.';
COMMENT ON COLUMN webhook_intents.plan IS
    'What an unfinished event will do, so that it can be released without its bytes.';

-- Only the owner may change a finished event: the server updates nothing but its delivery count. An
-- event that was ignored as nothing_to_return may still be applied, and a lower total without a number
-- dismissed.
CREATE FUNCTION refuse_change_of_finished() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF pg_has_role(current_user, 'pawl_owner', 'MEMBER') THEN RETURN NEW; END IF;
    RAISE EXCEPTION 'event %/% is done: it does not change any more', OLD.provider, OLD.event_id
        USING ERRCODE = 'insufficient_privilege';
END
$$;
COMMENT ON FUNCTION refuse_change_of_finished IS 'Keeps a finished event from being changed.';
CREATE TRIGGER webhook_intents_finished_stay
    BEFORE UPDATE OF segment, received_at, done_at, occurred_at, wake_at, locked_at, lease,
        sequence, amount, delivery_id, item_offset, item_length, attempts, provider, event_id,
        event_type, status, outcome, source, note, body_sha256, fingerprint, account, object,
        effect_key, currency, correlation_id, result, plan
    ON webhook_intents FOR EACH ROW
    WHEN (OLD.status = 'done'
          AND NOT (OLD.outcome = 'ignored' AND coalesce(OLD.note, '') = 'nothing_to_return')
          AND NOT (OLD.outcome = 'stale' AND coalesce(OLD.note, '') = 'total_fell'
                   AND NEW.outcome = 'dismissed' AND NEW.status = 'done'))
    EXECUTE FUNCTION refuse_change_of_finished();

-- The bytes of one commit are one value: compressed together they take a quarter of the room, and
-- need one row and one index entry. delivery_id = block_id * 4096 + the delivery's place in the
-- block. unpack_deliveries reads the format; the server writes it (intents/deliveries).
CREATE TABLE delivery_blocks (
    block_id    bigint      GENERATED BY DEFAULT AS IDENTITY,
    received_at timestamptz NOT NULL,
    deliveries  integer     NOT NULL,
    raw         bytea       NOT NULL,
    CONSTRAINT delivery_blocks_deliveries_fit CHECK (deliveries BETWEEN 1 AND 4096)
) PARTITION BY RANGE (received_at);
CREATE INDEX delivery_blocks_id ON delivery_blocks (block_id);
DO $$ BEGIN
    ALTER TABLE delivery_blocks ALTER COLUMN raw SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN NULL;  -- a server without lz4: it compresses with pglz
END $$;
CREATE TABLE delivery_blocks_default PARTITION OF delivery_blocks DEFAULT;
COMMENT ON TABLE delivery_blocks IS
    'The deliveries of one commit, as one compressed value; in weekly partitions.';
COMMENT ON COLUMN delivery_blocks.block_id IS 'Number of the block.';
COMMENT ON COLUMN delivery_blocks.received_at IS 'When the last of its deliveries arrived.';
COMMENT ON COLUMN delivery_blocks.deliveries IS 'Number of deliveries in the block.';
COMMENT ON COLUMN delivery_blocks.raw IS
    'The deliveries, framed: unpack_deliveries reads them. The first byte is the format.';

CREATE TABLE open_deliveries (
    delivery_id bigint           NOT NULL,
    received_at timestamptz      NOT NULL,
    provider    text COLLATE "C" NOT NULL,
    method      text             NOT NULL,
    url         text             NOT NULL,
    remote      text             NOT NULL,
    headers     bytea            NOT NULL,
    body        bytea            NOT NULL,
    CONSTRAINT open_deliveries_pkey PRIMARY KEY (delivery_id)
);
COMMENT ON TABLE open_deliveries IS
    'A copy of each delivery with an unfinished event, so that any partition may be dropped.';
COMMENT ON COLUMN open_deliveries.delivery_id IS 'Number of the delivery.';
COMMENT ON COLUMN open_deliveries.received_at IS 'When it arrived.';
COMMENT ON COLUMN open_deliveries.provider IS 'The provider in the URL.';
COMMENT ON COLUMN open_deliveries.method IS 'HTTP method.';
COMMENT ON COLUMN open_deliveries.url IS 'URL as the sender addressed it.';
COMMENT ON COLUMN open_deliveries.remote IS 'The sender''s address.';
COMMENT ON COLUMN open_deliveries.headers IS
    'Every header line as sent, in order; of tokens and Authorization only the SHA-256.';
COMMENT ON COLUMN open_deliveries.body IS 'The body as sent.';

CREATE TABLE redeliveries (
    provider    text COLLATE "C" NOT NULL,
    event_id    text COLLATE "C" NOT NULL,
    segment     integer          NOT NULL,
    body_sha256 bytea            NOT NULL,
    delivery_id bigint           NOT NULL,
    item_offset integer          NOT NULL,
    item_length integer          NOT NULL,
    CONSTRAINT redeliveries_pkey PRIMARY KEY (provider, event_id, body_sha256)
);
CREATE INDEX redeliveries_delivery ON redeliveries (delivery_id);
COMMENT ON TABLE redeliveries IS
    'Later deliveries of an event that differ in bytes; one of known bytes is only counted.';
COMMENT ON COLUMN redeliveries.provider IS 'Provider of the event.';
COMMENT ON COLUMN redeliveries.event_id IS 'The event.';
COMMENT ON COLUMN redeliveries.segment IS 'Segment of the event.';
COMMENT ON COLUMN redeliveries.body_sha256 IS 'SHA-256 of the bytes that came with it.';
COMMENT ON COLUMN redeliveries.delivery_id IS 'The delivery that has these bytes.';
COMMENT ON COLUMN redeliveries.item_offset IS 'Where they begin in the delivery''s body.';
COMMENT ON COLUMN redeliveries.item_length IS 'Their number.';

-- Numbered like blocks, so that no delivery has the number of another.
CREATE TABLE rejections (
    id          bigint           NOT NULL
                    DEFAULT nextval('delivery_blocks_block_id_seq') * 4096,
    received_at timestamptz      NOT NULL,
    provider    text COLLATE "C" NOT NULL,
    diagnosis   text             NOT NULL,
    method      text             NOT NULL,
    url         text             NOT NULL,
    remote      text             NOT NULL,
    headers     bytea            NOT NULL,
    body        bytea            NOT NULL
) PARTITION BY RANGE (received_at);
CREATE INDEX rejections_received_at ON rejections (received_at, id);
CREATE INDEX rejections_id ON rejections (id);
CREATE TABLE rejections_default PARTITION OF rejections DEFAULT;
COMMENT ON TABLE rejections IS
    'Deliveries that were rejected, capped per provider; in daily partitions.';
COMMENT ON COLUMN rejections.id IS 'Number of the delivery.';
COMMENT ON COLUMN rejections.received_at IS 'When it arrived.';
COMMENT ON COLUMN rejections.provider IS 'The provider in the URL.';
COMMENT ON COLUMN rejections.diagnosis IS 'Why it was rejected, e.g. wrong_secret.';
COMMENT ON COLUMN rejections.method IS 'HTTP method.';
COMMENT ON COLUMN rejections.url IS 'URL as the sender addressed it.';
COMMENT ON COLUMN rejections.remote IS 'The sender''s address.';
COMMENT ON COLUMN rejections.headers IS
    'Every header line as sent, in order; of tokens and Authorization only the SHA-256.';
COMMENT ON COLUMN rejections.body IS 'The body as sent, cut at the limit for rejections.';

-- Bytes that are in no known format, or end too soon, are one delivery of which nothing is known:
-- an error would hide all the others.
CREATE FUNCTION unpack_deliveries(block bigint, raw bytea)
RETURNS TABLE (delivery_id bigint, received_at timestamptz, provider text, method text, url text,
               remote text, headers bytea, body bytea)
LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    bytes constant bytea := raw || ''::bytea;  -- decompressed once
    at    integer := 1;
    size  integer;
    parts bytea[];
BEGIN
    delivery_id := block * 4096;
    IF get_byte(bytes, 0) <> 1 THEN
        RETURN NEXT;
        RETURN;
    END IF;
    WHILE at < octet_length(bytes) AND delivery_id / 4096 = block LOOP
        received_at := 'epoch'::timestamptz + interval '1 microsecond' *
            ('x' || encode(substring(bytes FROM at + 1 FOR 8), 'hex'))::bit(64)::bigint;
        at := at + 8;
        parts := '{}';
        FOR part IN 1 .. 6 LOOP
            size := (get_byte(bytes, at) << 24) + (get_byte(bytes, at + 1) << 16)
                    + (get_byte(bytes, at + 2) << 8) + get_byte(bytes, at + 3);
            parts := parts || substring(bytes FROM at + 5 FOR size);
            at := at + 4 + size;
        END LOOP;
        provider := convert_from(parts[1], 'UTF8');
        method := convert_from(parts[2], 'UTF8');
        url := convert_from(parts[3], 'UTF8');
        remote := convert_from(parts[4], 'UTF8');
        headers := parts[5];
        body := parts[6];
        RETURN NEXT;
        delivery_id := delivery_id + 1;
    END LOOP;
EXCEPTION
    WHEN data_exception THEN
        received_at := NULL; provider := NULL; method := NULL; url := NULL; remote := NULL;
        headers := NULL; body := NULL;
        RETURN NEXT;
END
$$;

-- One delivery, while its bytes are kept.
CREATE FUNCTION find_delivery(wanted bigint)
RETURNS TABLE (delivery_id bigint, received_at timestamptz, provider text, method text, url text,
               remote text, headers bytea, body bytea)
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
    SELECT d.*
    FROM pawl.delivery_blocks b
    CROSS JOIN LATERAL pawl.unpack_deliveries(b.block_id, b.raw) AS d
    WHERE b.block_id = wanted / 4096 AND d.delivery_id = wanted AND d.body IS NOT NULL
    UNION ALL
    SELECT o.* FROM pawl.open_deliveries o WHERE o.delivery_id = wanted
    LIMIT 1
$$;

CREATE VIEW webhook_deliveries AS
SELECT d.delivery_id, d.received_at, d.provider, 'authentic' AS verdict, NULL::text AS diagnosis,
       d.method, d.url, d.remote, d.headers, d.body
FROM delivery_blocks b
CROSS JOIN LATERAL unpack_deliveries(b.block_id, b.raw) AS d
UNION ALL
SELECT o.delivery_id, o.received_at, o.provider, 'authentic', NULL, o.method, o.url, o.remote,
       o.headers, o.body
FROM open_deliveries o
WHERE NOT EXISTS (SELECT FROM delivery_blocks b WHERE b.block_id = o.delivery_id / 4096)
UNION ALL
SELECT r.id, r.received_at, r.provider, 'rejected', r.diagnosis, r.method, r.url, r.remote,
       r.headers, r.body
FROM rejections r;
COMMENT ON VIEW webhook_deliveries IS
    'One row per HTTP request whose bytes are kept. For a single one use find_delivery.';
COMMENT ON COLUMN webhook_deliveries.delivery_id IS 'Number of the delivery.';
COMMENT ON COLUMN webhook_deliveries.received_at IS 'When it arrived.';
COMMENT ON COLUMN webhook_deliveries.provider IS 'The provider in the URL.';
COMMENT ON COLUMN webhook_deliveries.verdict IS 'authentic or rejected.';
COMMENT ON COLUMN webhook_deliveries.diagnosis IS 'Why it was rejected.';
COMMENT ON COLUMN webhook_deliveries.method IS 'HTTP method.';
COMMENT ON COLUMN webhook_deliveries.url IS 'URL as the sender addressed it.';
COMMENT ON COLUMN webhook_deliveries.remote IS 'The sender''s address.';
COMMENT ON COLUMN webhook_deliveries.headers IS
    'Every header line as sent, in order; of tokens and Authorization only the SHA-256.';
COMMENT ON COLUMN webhook_deliveries.body IS 'The body as sent.';

CREATE TABLE effect_waits (
    effect_key text COLLATE "C" NOT NULL,
    provider   text COLLATE "C" NOT NULL,
    event_id   text COLLATE "C" NOT NULL,
    segment    integer          NOT NULL,
    since      timestamptz      NOT NULL,
    CONSTRAINT effect_waits_pkey PRIMARY KEY (effect_key, provider, event_id)
);
CREATE INDEX effect_waits_event ON effect_waits (provider, event_id);
COMMENT ON TABLE effect_waits IS
    'Events parked on a need, an effect that is not posted yet, or quarantined needs_timeout.';
COMMENT ON COLUMN effect_waits.effect_key IS 'The need.';
COMMENT ON COLUMN effect_waits.provider IS 'Provider of the parked event.';
COMMENT ON COLUMN effect_waits.event_id IS 'Id of the parked event.';
COMMENT ON COLUMN effect_waits.segment IS 'Segment of the parked event.';
COMMENT ON COLUMN effect_waits.since IS
    'When it was parked, later by the time for which its provider was paused since.';

CREATE TABLE sequence_waits (
    books    text COLLATE "C" NOT NULL,
    scope    text COLLATE "C" NOT NULL,
    sequence bigint           NOT NULL,
    provider text COLLATE "C" NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    segment  integer          NOT NULL,
    passed   boolean          NOT NULL,
    CONSTRAINT sequence_waits_pkey PRIMARY KEY (books, scope, sequence, provider, event_id)
);
CREATE INDEX sequence_waits_event ON sequence_waits (provider, event_id);
COMMENT ON TABLE sequence_waits IS 'Events that arrived before their turn in a sequence.';
COMMENT ON COLUMN sequence_waits.books IS 'Books of the sequence.';
COMMENT ON COLUMN sequence_waits.scope IS
    'Scope of the sequence: account:<account> or object:<object>.';
COMMENT ON COLUMN sequence_waits.sequence IS 'Number of the event in the sequence.';
COMMENT ON COLUMN sequence_waits.provider IS 'Provider of the event.';
COMMENT ON COLUMN sequence_waits.event_id IS 'Id of the event.';
COMMENT ON COLUMN sequence_waits.segment IS 'Segment of the event.';
COMMENT ON COLUMN sequence_waits.passed IS
    'True: the event is final and only keeps its place until the numbers before it arrive.';

CREATE TABLE provider_pauses (
    provider  text COLLATE "C" NOT NULL,
    paused_at timestamptz      NOT NULL DEFAULT clock_timestamp(),
    paused_by text             NOT NULL,
    reason    text             NOT NULL,
    CONSTRAINT provider_pauses_pkey PRIMARY KEY (provider)
);
COMMENT ON TABLE provider_pauses IS
    'Providers that an operator paused: their events are stored and stay pending.';
COMMENT ON COLUMN provider_pauses.provider IS 'Name of the provider.';
COMMENT ON COLUMN provider_pauses.paused_at IS 'When it was paused.';
COMMENT ON COLUMN provider_pauses.paused_by IS 'Principal of the operator.';
COMMENT ON COLUMN provider_pauses.reason IS 'The operator''s reason.';

CREATE TABLE processed_messages (
    consumer_group text COLLATE "C" NOT NULL,
    message_id     text COLLATE "C" NOT NULL,
    processed_at   timestamptz      NOT NULL,
    CONSTRAINT processed_messages_pkey PRIMARY KEY (consumer_group, message_id)
);
CREATE INDEX processed_messages_processed_at ON processed_messages (processed_at);
COMMENT ON TABLE processed_messages IS
    'Messages of brokers that were processed: their dedup slots.';
COMMENT ON COLUMN processed_messages.consumer_group IS 'Name of the source.';
COMMENT ON COLUMN processed_messages.message_id IS 'The envelope''s stable id.';
COMMENT ON COLUMN processed_messages.processed_at IS 'When its effect was committed.';

CREATE TABLE source_offsets (
    source      text COLLATE "C" NOT NULL,
    topic       text COLLATE "C" NOT NULL,
    partition   integer          NOT NULL,
    generation  integer          NOT NULL DEFAULT 1,
    next_offset bigint           NOT NULL,
    updated_at  timestamptz      NOT NULL,
    CONSTRAINT source_offsets_pkey PRIMARY KEY (source, topic, partition)
);
COMMENT ON TABLE source_offsets IS
    'How far each partition of a source was processed; committed with the effects.';
COMMENT ON COLUMN source_offsets.source IS 'Name of the source.';
COMMENT ON COLUMN source_offsets.topic IS 'The topic.';
COMMENT ON COLUMN source_offsets.partition IS 'The topic''s partition.';
COMMENT ON COLUMN source_offsets.generation IS 'Increases when an operator resets the source.';
COMMENT ON COLUMN source_offsets.next_offset IS 'Offset of the next record to process.';
COMMENT ON COLUMN source_offsets.updated_at IS 'When it was last moved.';
