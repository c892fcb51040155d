-- Deliveries, the events in them, and the events that cannot be applied yet.
SET LOCAL ROLE pawl_owner;
SET LOCAL search_path = pawl, pg_temp;

CREATE TABLE webhook_intents (
    received_at    timestamptz      NOT NULL,
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
    fingerprint    text             NOT NULL,
    account        text COLLATE "C",
    object         text COLLATE "C",
    effect_key     text COLLATE "C",
    currency       text COLLATE "C",
    correlation_id text COLLATE "C" NOT NULL,
    result         jsonb,
    plan           jsonb,
    CONSTRAINT webhook_intents_pkey PRIMARY KEY (provider, event_id),
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
) WITH (fillfactor = 90);
CREATE INDEX webhook_intents_unfinished ON webhook_intents (wake_at)
    WHERE status IN ('pending', 'parked');
CREATE INDEX webhook_intents_open ON webhook_intents (received_at) WHERE status <> 'done';
CREATE INDEX webhook_intents_received_at ON webhook_intents (received_at);
COMMENT ON TABLE webhook_intents IS
    'One row for each verified event: its dedup slot, its outcome, and what it meant.';
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

-- A finished event stays what it is for everybody but the owner: the server only counts on its
-- deliveries. One that was ignored as nothing_to_return may still be applied.
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
    BEFORE UPDATE OF received_at, done_at, occurred_at, wake_at, locked_at, lease, sequence, amount,
        attempts, provider, event_id, event_type, status, outcome, source, note, body_sha256,
        fingerprint, account, object, effect_key, currency, correlation_id, result, plan
    ON webhook_intents FOR EACH ROW
    WHEN (OLD.status = 'done'
          AND NOT (OLD.outcome = 'ignored' AND coalesce(OLD.note, '') = 'nothing_to_return'))
    EXECUTE FUNCTION refuse_change_of_finished();

CREATE TABLE webhook_deliveries (
    delivery_id bigint           GENERATED BY DEFAULT AS IDENTITY,
    received_at timestamptz      NOT NULL,
    provider    text COLLATE "C" NOT NULL,
    event_id    text COLLATE "C",
    batch_head  text COLLATE "C",
    verdict     text             NOT NULL,
    diagnosis   text,
    method      text             NOT NULL,
    url         text             NOT NULL,
    headers     bytea            NOT NULL,
    body        bytea            NOT NULL,
    remote      text,
    CONSTRAINT webhook_deliveries_verdict_known CHECK (verdict IN ('authentic', 'rejected'))
) PARTITION BY RANGE (received_at);
ALTER TABLE webhook_deliveries ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE INDEX webhook_deliveries_event ON webhook_deliveries (provider, event_id);
CREATE TABLE webhook_deliveries_default PARTITION OF webhook_deliveries DEFAULT;
COMMENT ON TABLE webhook_deliveries IS
    'Deliveries with their bytes; in weekly partitions, which retention drops.';
COMMENT ON COLUMN webhook_deliveries.delivery_id IS 'Number of the delivery.';
COMMENT ON COLUMN webhook_deliveries.received_at IS 'When it arrived.';
COMMENT ON COLUMN webhook_deliveries.provider IS 'The provider in the URL.';
COMMENT ON COLUMN webhook_deliveries.event_id IS 'The event; null if rejected.';
COMMENT ON COLUMN webhook_deliveries.batch_head IS
    'The item of the same batch whose row holds the bytes; null: this row does.';
COMMENT ON COLUMN webhook_deliveries.verdict IS 'authentic or rejected.';
COMMENT ON COLUMN webhook_deliveries.diagnosis IS 'Why it was rejected.';
COMMENT ON COLUMN webhook_deliveries.method IS 'HTTP method.';
COMMENT ON COLUMN webhook_deliveries.url IS 'URL as the sender addressed it.';
COMMENT ON COLUMN webhook_deliveries.headers IS 'Every header line as sent, in order.';
COMMENT ON COLUMN webhook_deliveries.body IS 'The body as sent.';
COMMENT ON COLUMN webhook_deliveries.remote IS 'The sender''s address.';

CREATE TABLE effect_waits (
    effect_key text COLLATE "C" NOT NULL,
    provider   text COLLATE "C" NOT NULL,
    event_id   text COLLATE "C" NOT NULL,
    CONSTRAINT effect_waits_pkey PRIMARY KEY (effect_key, provider, event_id)
);
CREATE INDEX effect_waits_event ON effect_waits (provider, event_id);
COMMENT ON TABLE effect_waits IS 'Events parked on a need: an effect that is not posted yet.';
COMMENT ON COLUMN effect_waits.effect_key IS 'The need.';
COMMENT ON COLUMN effect_waits.provider IS 'Provider of the parked event.';
COMMENT ON COLUMN effect_waits.event_id IS 'Id of the parked event.';

CREATE TABLE sequence_waits (
    books    text COLLATE "C" NOT NULL,
    scope    text COLLATE "C" NOT NULL,
    sequence bigint           NOT NULL,
    provider text COLLATE "C" NOT NULL,
    event_id text COLLATE "C" NOT NULL,
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

CREATE TABLE rejections (
    id          bigint           GENERATED BY DEFAULT AS IDENTITY,
    received_at timestamptz      NOT NULL,
    provider    text COLLATE "C" NOT NULL,
    diagnosis   text             NOT NULL,
    method      text             NOT NULL,
    url         text             NOT NULL,
    remote      text,
    headers     bytea            NOT NULL,
    body        bytea            NOT NULL,
    CONSTRAINT rejections_pkey PRIMARY KEY (id)
);
CREATE INDEX rejections_received_at ON rejections (received_at, id);
COMMENT ON TABLE rejections IS 'Deliveries that were rejected, capped per provider.';
COMMENT ON COLUMN rejections.id IS 'Number of the delivery.';
COMMENT ON COLUMN rejections.received_at IS 'When it arrived.';
COMMENT ON COLUMN rejections.provider IS 'The provider in the URL.';
COMMENT ON COLUMN rejections.diagnosis IS 'Why it was rejected, e.g. wrong_secret.';
COMMENT ON COLUMN rejections.method IS 'HTTP method.';
COMMENT ON COLUMN rejections.url IS 'URL as the sender addressed it.';
COMMENT ON COLUMN rejections.remote IS 'The sender''s address.';
COMMENT ON COLUMN rejections.headers IS 'Every header line as sent, in order.';
COMMENT ON COLUMN rejections.body IS 'The body as sent, cut at the limit for rejections.';

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
