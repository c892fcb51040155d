-- Orders, payments, captures, refunds, disputes, and the idempotency keys of API clients.
SET LOCAL ROLE pawl_owner;
SET LOCAL search_path = pawl, pg_temp;

CREATE TABLE orders (
    order_id   text COLLATE "C" NOT NULL,
    amount     bigint           NOT NULL,
    currency   text COLLATE "C" NOT NULL,
    account    text COLLATE "C" NOT NULL,
    gateway    text COLLATE "C",
    state      text             NOT NULL DEFAULT 'open',
    captured   bigint           NOT NULL DEFAULT 0,
    returned   bigint           NOT NULL DEFAULT 0,
    version    bigint           NOT NULL DEFAULT 1,
    attempts   integer          NOT NULL DEFAULT 0,
    refunds    integer          NOT NULL DEFAULT 0,
    created_at timestamptz      NOT NULL,
    updated_at timestamptz      NOT NULL,
    CONSTRAINT orders_pkey PRIMARY KEY (order_id),
    CONSTRAINT orders_amount_above_zero CHECK (amount > 0),
    CONSTRAINT orders_currency_is_iso CHECK (currency ~ '^[A-Z]{3}$'),
    CONSTRAINT orders_not_clearing CHECK (account NOT LIKE '%:clearing'),
    CONSTRAINT orders_state_known CHECK (state IN (
        'open', 'partly_paid', 'paid', 'overpaid', 'partially_refunded', 'refunded', 'disputed'))
) WITH (fillfactor = 80);
CREATE INDEX orders_overpaid ON orders (updated_at) WHERE captured - returned > amount;
COMMENT ON TABLE orders IS 'What the merchant wants to be paid.';
COMMENT ON COLUMN orders.order_id IS 'The merchant''s id of the order.';
COMMENT ON COLUMN orders.amount IS 'Amount in minor units.';
COMMENT ON COLUMN orders.currency IS 'ISO 4217 code.';
COMMENT ON COLUMN orders.account IS 'Account that captures are credited to.';
COMMENT ON COLUMN orders.gateway IS 'Gateway that charges it; null: it is paid elsewhere.';
COMMENT ON COLUMN orders.state IS 'State as derived from its payments.';
COMMENT ON COLUMN orders.captured IS 'Sum captured by its payments, in minor units.';
COMMENT ON COLUMN orders.returned IS 'Sum returned by its payments, in minor units.';
COMMENT ON COLUMN orders.version IS 'The order''s ETag.';
COMMENT ON COLUMN orders.attempts IS 'Attempts that were allocated; counted under the row lock.';
COMMENT ON COLUMN orders.refunds IS 'Refunds that were allocated; counted under the row lock.';
COMMENT ON COLUMN orders.created_at IS 'When it was created.';
COMMENT ON COLUMN orders.updated_at IS 'When it was last changed.';

-- At most one payment of an order can still capture. `overpaid` is the exception: money that moved
-- late, in another currency, in addition to another attempt.
CREATE TABLE payments (
    payment_id       text COLLATE "C" NOT NULL,
    order_id         text COLLATE "C" NOT NULL,
    attempt          integer          NOT NULL,
    key              text COLLATE "C" NOT NULL,
    gateway          text COLLATE "C" NOT NULL,
    books            text COLLATE "C" NOT NULL,
    state            text             NOT NULL,
    note             text,
    amount           bigint           NOT NULL,
    currency         text COLLATE "C" NOT NULL,
    account          text COLLATE "C" NOT NULL,
    payment_method   text,
    reference        text COLLATE "C",
    payment_key      text COLLATE "C",
    next_action      jsonb,
    action_deadline  timestamptz,
    capture_before   timestamptz,
    captured         bigint           NOT NULL DEFAULT 0,
    capturable       bigint           NOT NULL DEFAULT 0,
    returned         bigint           NOT NULL DEFAULT 0,
    overpaid         boolean          NOT NULL DEFAULT false,
    cancel_requested boolean          NOT NULL DEFAULT false,
    customer         text,
    return_url       text,
    off_session      boolean          NOT NULL DEFAULT false,
    manual_capture   boolean          NOT NULL DEFAULT false,
    correlation_id   text COLLATE "C" NOT NULL,
    created_at       timestamptz      NOT NULL,
    updated_at       timestamptz      NOT NULL,
    CONSTRAINT payments_pkey PRIMARY KEY (payment_id),
    CONSTRAINT payments_order_attempt_key UNIQUE (order_id, attempt),
    CONSTRAINT payments_key_key UNIQUE (key),
    CONSTRAINT payments_order_fkey FOREIGN KEY (order_id) REFERENCES orders (order_id),
    CONSTRAINT payments_state_known CHECK (state IN (
        'created', 'calling', 'unknown', 'requires_action', 'processing', 'authorized',
        'succeeded', 'declined', 'failed', 'canceled', 'refunded', 'partially_refunded',
        'disputed', 'needs_review')),
    CONSTRAINT payments_key_is_derived CHECK (key = 'pay:' || order_id || ':' || attempt)
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX payments_one_live_for_an_order ON payments (order_id)
    WHERE (state IN ('created', 'calling', 'unknown', 'requires_action', 'processing', 'authorized',
                     'needs_review') OR capturable > 0) AND NOT overpaid;
CREATE INDEX payments_reference ON payments (books, reference) WHERE reference IS NOT NULL;
CREATE INDEX payments_open ON payments (updated_at)
    WHERE state IN ('created', 'calling', 'unknown', 'requires_action', 'processing', 'authorized',
                    'needs_review');
CREATE INDEX payments_expiring ON payments (capture_before)
    WHERE capturable > 0 AND capture_before IS NOT NULL;
-- No root belongs to two payments.
CREATE UNIQUE INDEX payments_payment_key ON payments (payment_key) WHERE payment_key IS NOT NULL;
COMMENT ON TABLE payments IS 'Attempts to have an order paid.';
COMMENT ON COLUMN payments.payment_id IS 'Pawl''s id of the payment.';
COMMENT ON COLUMN payments.order_id IS 'The order.';
COMMENT ON COLUMN payments.attempt IS 'Number of the attempt; never reused.';
COMMENT ON COLUMN payments.key IS 'Idempotency key at the gateway: pay:<order>:<attempt>.';
COMMENT ON COLUMN payments.gateway IS 'The gateway that is called.';
COMMENT ON COLUMN payments.books IS 'Books in which its movements are posted.';
COMMENT ON COLUMN payments.state IS 'State of the payment.';
COMMENT ON COLUMN payments.note IS 'Why it was declined, failed or needs review.';
COMMENT ON COLUMN payments.amount IS 'Amount to charge, in minor units.';
COMMENT ON COLUMN payments.currency IS 'ISO 4217 code.';
COMMENT ON COLUMN payments.account IS 'Account that its captures are credited to.';
COMMENT ON COLUMN payments.payment_method IS 'Payment method as passed to the gateway.';
COMMENT ON COLUMN payments.reference IS 'The gateway''s id of the payment.';
COMMENT ON COLUMN payments.payment_key IS
    'Root of its movements in the journal: <books>/capture/<reference>.';
COMMENT ON COLUMN payments.next_action IS 'What the payer must do.';
COMMENT ON COLUMN payments.action_deadline IS 'When a required action expires.';
COMMENT ON COLUMN payments.capture_before IS 'When the authorization expires.';
COMMENT ON COLUMN payments.captured IS 'What the gateway reports as moved, in minor units.';
COMMENT ON COLUMN payments.capturable IS 'Authorized and not captured yet, in minor units.';
COMMENT ON COLUMN payments.returned IS 'What was returned to the payer, in minor units.';
COMMENT ON COLUMN payments.overpaid IS 'Another attempt of the order was paid too.';
COMMENT ON COLUMN payments.cancel_requested IS 'A cancel was accepted.';
COMMENT ON COLUMN payments.customer IS 'Customer as passed to the gateway.';
COMMENT ON COLUMN payments.return_url IS 'Where the payer returns to, as passed to the gateway.';
COMMENT ON COLUMN payments.off_session IS 'The payer is not present.';
COMMENT ON COLUMN payments.manual_capture IS 'It is authorized first, and captured on request.';
COMMENT ON COLUMN payments.correlation_id IS 'Links it to its run, calls, jobs and log lines.';
COMMENT ON COLUMN payments.created_at IS 'When it was created.';
COMMENT ON COLUMN payments.updated_at IS 'When it was last changed.';

-- One capture of a payment at most is under way.
CREATE TABLE captures (
    capture_id     text COLLATE "C" NOT NULL,
    payment_id     text COLLATE "C" NOT NULL,
    n              integer          NOT NULL,
    key            text COLLATE "C" NOT NULL,
    state          text             NOT NULL,
    note           text,
    amount         bigint           NOT NULL,
    final          boolean          NOT NULL,
    reference      text COLLATE "C",
    correlation_id text COLLATE "C" NOT NULL,
    created_at     timestamptz      NOT NULL,
    updated_at     timestamptz      NOT NULL,
    CONSTRAINT captures_pkey PRIMARY KEY (payment_id, n),
    CONSTRAINT captures_capture_id_key UNIQUE (capture_id),
    CONSTRAINT captures_key_key UNIQUE (key),
    CONSTRAINT captures_payment_fkey FOREIGN KEY (payment_id) REFERENCES payments (payment_id),
    CONSTRAINT captures_amount_above_zero CHECK (amount > 0),
    CONSTRAINT captures_state_known CHECK (state IN (
        'created', 'calling', 'unknown', 'processing', 'succeeded', 'failed', 'needs_review'))
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX captures_one_under_way ON captures (payment_id)
    WHERE state IN ('created', 'calling', 'unknown', 'processing', 'needs_review');
COMMENT ON TABLE captures IS 'Captures of authorized payments that were asked for through the API.';
COMMENT ON COLUMN captures.capture_id IS 'Pawl''s id of the capture.';
COMMENT ON COLUMN captures.payment_id IS 'The payment.';
COMMENT ON COLUMN captures.n IS 'Number of the capture within the payment.';
COMMENT ON COLUMN captures.key IS 'Idempotency key: capture:<order>:<attempt>:<n>.';
COMMENT ON COLUMN captures.state IS 'State of the capture.';
COMMENT ON COLUMN captures.note IS 'Why it failed or needs review.';
COMMENT ON COLUMN captures.amount IS 'Amount to capture, in minor units; captured, once succeeded.';
COMMENT ON COLUMN captures.final IS 'True: the gateway releases what is left.';
COMMENT ON COLUMN captures.reference IS 'The gateway''s id of the capture.';
COMMENT ON COLUMN captures.correlation_id IS 'Links it to its run, calls, jobs and log lines.';
COMMENT ON COLUMN captures.created_at IS 'When it was created.';
COMMENT ON COLUMN captures.updated_at IS 'When it was last changed.';

CREATE TABLE refunds (
    refund_id      text COLLATE "C" NOT NULL,
    payment_id     text COLLATE "C" NOT NULL,
    order_id       text COLLATE "C" NOT NULL,
    n              integer          NOT NULL,
    key            text COLLATE "C" NOT NULL,
    state          text             NOT NULL,
    note           text,
    amount         bigint           NOT NULL,
    currency       text COLLATE "C" NOT NULL,
    reference      text COLLATE "C",
    correlation_id text COLLATE "C" NOT NULL,
    created_at     timestamptz      NOT NULL,
    updated_at     timestamptz      NOT NULL,
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
COMMENT ON TABLE refunds IS 'Refunds that were asked for through the API.';
COMMENT ON COLUMN refunds.refund_id IS 'Pawl''s id of the refund.';
COMMENT ON COLUMN refunds.payment_id IS 'The payment.';
COMMENT ON COLUMN refunds.order_id IS 'The order of the payment.';
COMMENT ON COLUMN refunds.n IS 'Number of the refund within the order; never reused.';
COMMENT ON COLUMN refunds.key IS 'Idempotency key at the gateway: refund:<order>:<n>.';
COMMENT ON COLUMN refunds.state IS 'State of the refund.';
COMMENT ON COLUMN refunds.note IS 'Why it failed or needs review.';
COMMENT ON COLUMN refunds.amount IS 'Amount in minor units.';
COMMENT ON COLUMN refunds.currency IS 'ISO 4217 code.';
COMMENT ON COLUMN refunds.reference IS 'The gateway''s id of the refund.';
COMMENT ON COLUMN refunds.correlation_id IS 'Links it to its run, calls, jobs and log lines.';
COMMENT ON COLUMN refunds.created_at IS 'When it was created.';
COMMENT ON COLUMN refunds.updated_at IS 'When it was last changed.';

CREATE TABLE disputes (
    books       text COLLATE "C" NOT NULL,
    dispute_id  text COLLATE "C" NOT NULL,
    payment_key text COLLATE "C" NOT NULL,
    payment_id  text COLLATE "C",
    state       text             NOT NULL,
    amount      bigint,
    currency    text COLLATE "C",
    opened_at   timestamptz,
    closed_at   timestamptz,
    updated_at  timestamptz      NOT NULL,
    CONSTRAINT disputes_pkey PRIMARY KEY (books, dispute_id),
    CONSTRAINT disputes_payment_fkey FOREIGN KEY (payment_id) REFERENCES payments (payment_id),
    CONSTRAINT disputes_state_known CHECK (state IN ('opened', 'won', 'lost'))
) WITH (fillfactor = 80);
CREATE INDEX disputes_payment_key ON disputes (payment_key);
CREATE INDEX disputes_payment ON disputes (payment_id) WHERE payment_id IS NOT NULL;
COMMENT ON TABLE disputes IS 'Disputes that providers reported.';
COMMENT ON COLUMN disputes.books IS 'Books of the provider.';
COMMENT ON COLUMN disputes.dispute_id IS 'The provider''s id of the dispute.';
COMMENT ON COLUMN disputes.payment_key IS 'Root of the disputed payment.';
COMMENT ON COLUMN disputes.payment_id IS 'The payment, where it was made through the API.';
COMMENT ON COLUMN disputes.state IS 'opened, won or lost.';
COMMENT ON COLUMN disputes.amount IS 'Disputed amount in minor units.';
COMMENT ON COLUMN disputes.currency IS 'ISO 4217 code.';
COMMENT ON COLUMN disputes.opened_at IS 'When it was opened.';
COMMENT ON COLUMN disputes.closed_at IS 'When it was won or lost.';
COMMENT ON COLUMN disputes.updated_at IS 'When it was last changed.';

-- status, headers and body are the stored response: of the result, or of the wait's expiry.
CREATE TABLE idempotency_keys (
    principal    text COLLATE "C" NOT NULL,
    route        text COLLATE "C" NOT NULL,
    key          text COLLATE "C" NOT NULL,
    fingerprint  bytea            NOT NULL,
    subject      text COLLATE "C" NOT NULL,
    status       integer,
    headers      bytea,
    body         bytea,
    wait_until   timestamptz      NOT NULL,
    created_at   timestamptz      NOT NULL,
    answered_at  timestamptz,
    expires_at   timestamptz      NOT NULL,
    CONSTRAINT idempotency_keys_pkey PRIMARY KEY (principal, route, key),
    CONSTRAINT idempotency_keys_fingerprint_is_sha256 CHECK (octet_length(fingerprint) = 32),
    CONSTRAINT idempotency_keys_answer_whole
        CHECK ((status IS NULL) = (body IS NULL) AND (status IS NULL) = (answered_at IS NULL))
);
CREATE INDEX idempotency_keys_subject ON idempotency_keys (subject);
CREATE INDEX idempotency_keys_expired ON idempotency_keys (expires_at) WHERE status IS NOT NULL;
COMMENT ON TABLE idempotency_keys IS 'Idempotency keys of API clients and the stored responses.';
COMMENT ON COLUMN idempotency_keys.principal IS 'Principal of the client.';
COMMENT ON COLUMN idempotency_keys.route IS 'HTTP method and route template.';
COMMENT ON COLUMN idempotency_keys.key IS 'The client''s Idempotency-Key.';
COMMENT ON COLUMN idempotency_keys.fingerprint IS
    'SHA-256 over method, target, media type and body.';
COMMENT ON COLUMN idempotency_keys.subject IS
    'The payment, capture or refund that the first use created.';
COMMENT ON COLUMN idempotency_keys.status IS 'HTTP status of the stored response.';
COMMENT ON COLUMN idempotency_keys.headers IS 'Headers of the stored response.';
COMMENT ON COLUMN idempotency_keys.body IS 'Body of the stored response.';
COMMENT ON COLUMN idempotency_keys.wait_until IS 'After this time a retry may store a 202.';
COMMENT ON COLUMN idempotency_keys.created_at IS 'When it was first used.';
COMMENT ON COLUMN idempotency_keys.answered_at IS 'When the response was stored.';
COMMENT ON COLUMN idempotency_keys.expires_at IS 'When the key expires.';
