-- Orders, payments, refunds; the workflows that move them, and the calls that go out.
SET LOCAL ROLE pawl_owner;

-- What the merchant wants paid. `version` is the order's ETag.
CREATE TABLE orders (
    order_id   text        NOT NULL,
    amount     bigint      NOT NULL,
    currency   text        NOT NULL,
    account    text        NOT NULL,
    gateway    text        NOT NULL,
    version    bigint      NOT NULL DEFAULT 1,
    attempts   integer     NOT NULL DEFAULT 0,  -- counted up under this row's lock
    refunds    integer     NOT NULL DEFAULT 0,  -- likewise; refunds are numbered by the order
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT orders_pkey PRIMARY KEY (order_id),
    CONSTRAINT orders_amount_above_zero CHECK (amount > 0),
    CONSTRAINT orders_currency_is_iso CHECK (currency ~ '^[A-Z]{3}$'),
    CONSTRAINT orders_not_clearing CHECK (account !~ ':clearing$')
) WITH (fillfactor = 80);
GRANT SELECT, INSERT, UPDATE ON orders TO pawl_runtime;

-- One attempt to have an order paid. Its key is exactly pay:<order>:<attempt>.
CREATE TABLE payments (
    payment_id       text        NOT NULL,
    order_id         text        NOT NULL,
    attempt          integer     NOT NULL,
    key              text        NOT NULL,
    gateway          text        NOT NULL,
    books            text        NOT NULL,
    state            text        NOT NULL,
    note             text,                    -- why it was declined, failed or needs a person
    amount           bigint      NOT NULL,
    currency         text        NOT NULL,
    account          text        NOT NULL,
    payment_method   text,
    reference        text,                    -- the gateway's own id
    next_action      jsonb,                   -- what the payer must do
    action_deadline  timestamptz,
    captured         bigint      NOT NULL DEFAULT 0,  -- what the gateway says it moved
    overpaid         boolean     NOT NULL DEFAULT false,
    cancel_requested boolean     NOT NULL DEFAULT false,
    correlation_id   text        NOT NULL,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    CONSTRAINT payments_pkey PRIMARY KEY (payment_id),
    CONSTRAINT payments_order_attempt_key UNIQUE (order_id, attempt),
    CONSTRAINT payments_key_key UNIQUE (key),
    CONSTRAINT payments_order_fkey FOREIGN KEY (order_id) REFERENCES orders (order_id),
    CONSTRAINT payments_state_known CHECK (state IN (
        'created', 'calling', 'unknown', 'requires_action', 'processing', 'succeeded', 'declined',
        'failed', 'canceled', 'refunded', 'partially_refunded', 'disputed', 'needs_review')),
    CONSTRAINT payments_key_is_derived CHECK (key = 'pay:' || order_id || ':' || attempt)
) WITH (fillfactor = 80);
-- One payment for each order that has not come to nothing. `overpaid` is the one way past it:
-- a provider settled an attempt late that it had called declined.
CREATE UNIQUE INDEX payments_one_live_for_an_order ON payments (order_id)
    WHERE state NOT IN ('declined', 'failed', 'canceled') AND NOT overpaid;
CREATE INDEX payments_reference ON payments (books, reference) WHERE reference IS NOT NULL;
GRANT SELECT, INSERT, UPDATE ON payments TO pawl_runtime;

-- Money that goes back. Its key is exactly refund:<order>:<n>.
CREATE TABLE refunds (
    refund_id      text        NOT NULL,
    payment_id     text        NOT NULL,
    order_id       text        NOT NULL,
    n              integer     NOT NULL,
    key            text        NOT NULL,
    state          text        NOT NULL,
    note           text,
    amount         bigint      NOT NULL,
    currency       text        NOT NULL,
    reference      text,
    correlation_id text        NOT NULL,
    created_at     timestamptz NOT NULL,
    updated_at     timestamptz NOT NULL,
    CONSTRAINT refunds_pkey PRIMARY KEY (refund_id),
    CONSTRAINT refunds_order_n_key UNIQUE (order_id, n),
    CONSTRAINT refunds_key_key UNIQUE (key),
    CONSTRAINT refunds_payment_fkey FOREIGN KEY (payment_id) REFERENCES payments (payment_id),
    CONSTRAINT refunds_amount_above_zero CHECK (amount > 0),
    CONSTRAINT refunds_state_known CHECK (state IN (
        'created', 'calling', 'unknown', 'processing', 'succeeded', 'failed', 'needs_review')),
    CONSTRAINT refunds_key_is_derived CHECK (key = 'refund:' || order_id || ':' || n)
) WITH (fillfactor = 80);
CREATE INDEX refunds_payment ON refunds (payment_id);
GRANT SELECT, INSERT, UPDATE ON refunds TO pawl_runtime;

-- A run of a workflow. `step` is its recovery point: the step that comes next. Only the engine
-- writes it, and every write carries the lease's number, which only rises.
CREATE TABLE workflow_runs (
    run_id         bigint      GENERATED ALWAYS AS IDENTITY,
    workflow       text        NOT NULL,
    key            text        NOT NULL,     -- what makes this run one and the same
    signal_key     text,                     -- under which signals find it
    lane           text        NOT NULL DEFAULT '',  -- the gateway it calls; '': none
    step           text        NOT NULL,
    status         text        NOT NULL,
    state          jsonb       NOT NULL DEFAULT '{}',
    note           text,                     -- why it waits, failed, or needs a person
    wake_at        timestamptz,
    lease          bigint      NOT NULL DEFAULT 0,
    locked_until   timestamptz,              -- by the database's clock
    attempts       integer     NOT NULL DEFAULT 0,   -- claims since the last recovery point
    correlation_id text        NOT NULL,
    created_at     timestamptz NOT NULL,
    updated_at     timestamptz NOT NULL,
    done_at        timestamptz,
    CONSTRAINT workflow_runs_pkey PRIMARY KEY (run_id),
    CONSTRAINT workflow_runs_key_key UNIQUE (workflow, key),
    CONSTRAINT workflow_runs_status_known
        CHECK (status IN ('running', 'done', 'needs_review', 'canceled')),
    CONSTRAINT workflow_runs_unfinished_will_wake
        CHECK (status <> 'running' OR wake_at IS NOT NULL),
    CONSTRAINT workflow_runs_review_named CHECK (status <> 'needs_review' OR note IS NOT NULL)
) WITH (fillfactor = 70);
CREATE INDEX workflow_runs_due ON workflow_runs (lane, wake_at) WHERE status = 'running';
CREATE INDEX workflow_runs_review ON workflow_runs (updated_at) WHERE status = 'needs_review';
CREATE UNIQUE INDEX workflow_runs_signal_key ON workflow_runs (signal_key)
    WHERE signal_key IS NOT NULL;
GRANT SELECT, INSERT, UPDATE ON workflow_runs TO pawl_runtime;

-- Each recovery point that a run has passed, for people. Never read by the engine.
CREATE TABLE workflow_steps (
    run_id  bigint      NOT NULL,
    lease   bigint      NOT NULL,
    step    text        NOT NULL,
    went_to text        NOT NULL,
    note    text,
    at      timestamptz NOT NULL
);
CREATE INDEX workflow_steps_run ON workflow_steps (run_id, at);
GRANT SELECT, INSERT ON workflow_steps TO pawl_runtime;

-- What a webhook told a run. Written by whoever accepts the webhook, taken by the engine.
CREATE TABLE workflow_signals (
    signal_id   bigint      GENERATED ALWAYS AS IDENTITY,
    signal_key  text        NOT NULL,
    type        text        NOT NULL,
    reference   text,
    amount      bigint,
    currency    text,
    provider    text        NOT NULL,
    event_id    text        NOT NULL,
    received_at timestamptz NOT NULL,
    taken_at    timestamptz,
    CONSTRAINT workflow_signals_pkey PRIMARY KEY (signal_id)
);
CREATE INDEX workflow_signals_new ON workflow_signals (signal_key) WHERE taken_at IS NULL;
GRANT SELECT, INSERT, UPDATE ON workflow_signals TO pawl_runtime;

-- A call to a payment API. Key and request bytes are committed before the first send, and sent
-- again unchanged.
CREATE TABLE external_calls (
    key           text        NOT NULL,      -- ours: pay:<order>:<n>, refund:<order>:<n>
    key_sent      text        NOT NULL,      -- as the gateway gets it
    gateway       text        NOT NULL,
    operation     text        NOT NULL,
    run_id        bigint      NOT NULL,
    method        text        NOT NULL,
    path          text        NOT NULL,
    content_type  text        NOT NULL,
    request       bytea       NOT NULL,
    outcome       text,                      -- null: no answer that says anything yet
    in_doubt      boolean     NOT NULL DEFAULT false,  -- some send may have been carried out
    sends         integer     NOT NULL DEFAULT 0,
    lookups       integer     NOT NULL DEFAULT 0,
    first_sent_at timestamptz,
    last_sent_at  timestamptz,
    http_status   integer,
    answer        bytea,                     -- of the last answer, as it came
    reference     text,
    moved         bigint,
    currency      text,
    note          text,
    created_at    timestamptz NOT NULL,
    decided_at    timestamptz,
    CONSTRAINT external_calls_pkey PRIMARY KEY (key),
    CONSTRAINT external_calls_outcome_known CHECK (outcome IN (
        'succeeded', 'declined', 'refused', 'unknown', 'requires_action', 'processing', 'canceled',
        'failed'))
) WITH (fillfactor = 70);
CREATE INDEX external_calls_run ON external_calls (run_id);
GRANT SELECT, INSERT, UPDATE ON external_calls TO pawl_runtime;

-- A transfer is caused by an event, a payment (or its refund), or an operator.
ALTER TABLE transfers ADD COLUMN payment_id text;
