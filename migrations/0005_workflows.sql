-- Workflow runs, and the calls that they make.
SET LOCAL ROLE pawl_owner;
SET LOCAL search_path = pawl, pg_temp;

CREATE TABLE workflow_runs (
    run_id         bigint           GENERATED ALWAYS AS IDENTITY,
    workflow       text COLLATE "C" NOT NULL,
    key            text COLLATE "C" NOT NULL,
    signal_key     text COLLATE "C",
    lane           text COLLATE "C" NOT NULL DEFAULT '',
    step           text             NOT NULL,
    status         text             NOT NULL,
    state          jsonb            NOT NULL DEFAULT '{}',
    note           text,
    wake_at        timestamptz,
    lease          bigint           NOT NULL DEFAULT 0,
    locked_until   timestamptz,
    attempts       integer          NOT NULL DEFAULT 0,
    correlation_id text COLLATE "C" NOT NULL,
    created_at     timestamptz      NOT NULL,
    updated_at     timestamptz      NOT NULL,
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
CREATE INDEX workflow_runs_correlation ON workflow_runs (correlation_id);
COMMENT ON TABLE workflow_runs IS 'Runs of workflows, each at its recovery point.';
COMMENT ON COLUMN workflow_runs.run_id IS 'Number of the run.';
COMMENT ON COLUMN workflow_runs.workflow IS 'Name of the workflow.';
COMMENT ON COLUMN workflow_runs.key IS 'Identity of the run: a workflow has one run per key.';
COMMENT ON COLUMN workflow_runs.signal_key IS 'Key under which signals find the run.';
COMMENT ON COLUMN workflow_runs.lane IS 'The gateway that it calls; empty: none.';
COMMENT ON COLUMN workflow_runs.step IS 'Recovery point: the step that is executed next.';
COMMENT ON COLUMN workflow_runs.status IS 'running, done, needs_review or canceled.';
COMMENT ON COLUMN workflow_runs.state IS 'What the steps remember.';
COMMENT ON COLUMN workflow_runs.note IS 'Why it waits, failed or needs review.';
COMMENT ON COLUMN workflow_runs.wake_at IS 'When a running run is due.';
COMMENT ON COLUMN workflow_runs.lease IS 'Fencing token: increases with each claim.';
COMMENT ON COLUMN workflow_runs.locked_until IS 'When the lease expires, by the database''s clock.';
COMMENT ON COLUMN workflow_runs.attempts IS 'Claims since the last recovery point.';
COMMENT ON COLUMN workflow_runs.correlation_id IS
    'Links it to the event or request that started it.';
COMMENT ON COLUMN workflow_runs.created_at IS 'When it was started.';
COMMENT ON COLUMN workflow_runs.updated_at IS 'When it last reached a recovery point.';
COMMENT ON COLUMN workflow_runs.done_at IS 'When it ended.';

CREATE TABLE workflow_steps (
    run_id  bigint      NOT NULL,
    lease   bigint      NOT NULL,
    step    text        NOT NULL,
    went_to text        NOT NULL,
    note    text,
    at      timestamptz NOT NULL
);
CREATE INDEX workflow_steps_run ON workflow_steps (run_id, at);
COMMENT ON TABLE workflow_steps IS
    'Recovery points that runs have passed, for operators; the engine does not read it.';
COMMENT ON COLUMN workflow_steps.run_id IS 'The run.';
COMMENT ON COLUMN workflow_steps.lease IS 'Fencing token of the worker.';
COMMENT ON COLUMN workflow_steps.step IS 'The step that was executed.';
COMMENT ON COLUMN workflow_steps.went_to IS 'The step that follows, or how the run ended.';
COMMENT ON COLUMN workflow_steps.note IS 'Why it waits, failed or needs review.';
COMMENT ON COLUMN workflow_steps.at IS 'When the step was committed.';

CREATE TABLE workflow_signals (
    signal_id   bigint           GENERATED ALWAYS AS IDENTITY,
    signal_key  text COLLATE "C" NOT NULL,
    type        text             NOT NULL,
    reference   text,
    amount      bigint,
    currency    text,
    provider    text COLLATE "C" NOT NULL,
    event_id    text COLLATE "C" NOT NULL,
    received_at timestamptz      NOT NULL,
    taken_at    timestamptz,
    CONSTRAINT workflow_signals_pkey PRIMARY KEY (signal_id)
);
CREATE INDEX workflow_signals_new ON workflow_signals (signal_key) WHERE taken_at IS NULL;
CREATE INDEX workflow_signals_key ON workflow_signals (signal_key);
CREATE INDEX workflow_signals_event ON workflow_signals (event_id, provider);
COMMENT ON TABLE workflow_signals IS
    'Signals of events to runs; written with the event, consumed by the engine.';
COMMENT ON COLUMN workflow_signals.signal_id IS 'Number of the signal.';
COMMENT ON COLUMN workflow_signals.signal_key IS 'The run''s signal_key.';
COMMENT ON COLUMN workflow_signals.type IS 'Type of the event.';
COMMENT ON COLUMN workflow_signals.reference IS 'The gateway''s id that the event names.';
COMMENT ON COLUMN workflow_signals.amount IS 'Amount that the event reports, in minor units.';
COMMENT ON COLUMN workflow_signals.currency IS 'ISO 4217 code.';
COMMENT ON COLUMN workflow_signals.provider IS 'Provider of the event.';
COMMENT ON COLUMN workflow_signals.event_id IS 'The event.';
COMMENT ON COLUMN workflow_signals.received_at IS 'When the event was accepted.';
COMMENT ON COLUMN workflow_signals.taken_at IS 'When the run consumed it.';

CREATE TABLE external_calls (
    key            text COLLATE "C" NOT NULL,
    key_sent       text             NOT NULL,
    gateway        text             NOT NULL,
    operation      text             NOT NULL,
    run_id         bigint           NOT NULL,
    method         text             NOT NULL,
    path           text             NOT NULL,
    content_type   text             NOT NULL,
    request        bytea            NOT NULL,
    outcome        text,
    in_doubt       boolean          NOT NULL DEFAULT false,
    sends          integer          NOT NULL DEFAULT 0,
    lookups        integer          NOT NULL DEFAULT 0,
    not_found      integer          NOT NULL DEFAULT 0,
    unanswered     integer          NOT NULL DEFAULT 0,
    first_sent_at  timestamptz,
    last_sent_at   timestamptz,
    http_status    integer,
    answer         bytea,
    reference      text,
    moved          bigint,
    capturable     bigint,
    currency       text,
    note           text,
    correlation_id text COLLATE "C",
    created_at     timestamptz      NOT NULL,
    decided_at     timestamptz,
    forced_at      timestamptz,
    asked_at       timestamptz,
    CONSTRAINT external_calls_pkey PRIMARY KEY (key),
    CONSTRAINT external_calls_outcome_known CHECK (outcome IN (
        'succeeded', 'declined', 'refused', 'unknown', 'requires_action', 'processing', 'canceled',
        'failed', 'authorized'))
) WITH (fillfactor = 70);
CREATE INDEX external_calls_run ON external_calls (run_id);
CREATE INDEX external_calls_forced ON external_calls (forced_at) WHERE forced_at IS NOT NULL;
COMMENT ON TABLE external_calls IS
    'Calls to payment APIs: key and request are committed before the first send, and never change.';
COMMENT ON COLUMN external_calls.key IS 'Idempotency key, e.g. pay:<order>:<attempt>.';
COMMENT ON COLUMN external_calls.key_sent IS 'The key in the form that the gateway is sent.';
COMMENT ON COLUMN external_calls.gateway IS 'The gateway.';
COMMENT ON COLUMN external_calls.operation IS 'What is asked for, e.g. charge.';
COMMENT ON COLUMN external_calls.run_id IS 'The run that makes the call.';
COMMENT ON COLUMN external_calls.method IS 'HTTP method.';
COMMENT ON COLUMN external_calls.path IS 'Path at the gateway.';
COMMENT ON COLUMN external_calls.content_type IS 'Media type of the request.';
COMMENT ON COLUMN external_calls.request IS 'Body of the request.';
COMMENT ON COLUMN external_calls.outcome IS 'Outcome; null: no response that shows one.';
COMMENT ON COLUMN external_calls.in_doubt IS 'A send may have been executed.';
COMMENT ON COLUMN external_calls.sends IS 'Sends that were committed.';
COMMENT ON COLUMN external_calls.lookups IS 'Lookups that were made.';
COMMENT ON COLUMN external_calls.not_found IS 'Lookups whose answer was "not found".';
COMMENT ON COLUMN external_calls.unanswered IS
    'Consecutive lookups without a conclusive answer.';
COMMENT ON COLUMN external_calls.first_sent_at IS 'When the first send was committed.';
COMMENT ON COLUMN external_calls.last_sent_at IS 'When the last send was committed.';
COMMENT ON COLUMN external_calls.http_status IS 'HTTP status of the last response.';
COMMENT ON COLUMN external_calls.answer IS 'Body of the last response.';
COMMENT ON COLUMN external_calls.reference IS 'The gateway''s id of the object.';
COMMENT ON COLUMN external_calls.moved IS 'What the gateway reports as moved, in minor units.';
COMMENT ON COLUMN external_calls.capturable IS
    'What the gateway reports as still to be captured, in minor units.';
COMMENT ON COLUMN external_calls.currency IS 'ISO 4217 code.';
COMMENT ON COLUMN external_calls.note IS 'The gateway''s reason.';
COMMENT ON COLUMN external_calls.correlation_id IS
    'Links it to the event or request that led to it.';
COMMENT ON COLUMN external_calls.created_at IS 'When key and request were committed.';
COMMENT ON COLUMN external_calls.decided_at IS 'When the outcome was final.';
COMMENT ON COLUMN external_calls.forced_at IS
    'When an operator reported the outcome; null: the gateway did, or has confirmed it.';
COMMENT ON COLUMN external_calls.asked_at IS
    'When the gateway was last asked about the call and its order before a send; see recoveries.';

CREATE TABLE recoveries (
    recovery_id integer          GENERATED ALWAYS AS IDENTITY,
    began_at    timestamptz      NOT NULL DEFAULT clock_timestamp(),
    began_by    text COLLATE "C" NOT NULL,
    reason      text             NOT NULL,
    recorded_to timestamptz,
    covers_to   timestamptz      NOT NULL,
    ended_at    timestamptz,
    ended_by    text COLLATE "C",
    end_reason  text,
    CONSTRAINT recoveries_pkey PRIMARY KEY (recovery_id),
    CONSTRAINT recoveries_reason_given CHECK (reason <> ''),
    CONSTRAINT recoveries_end_complete CHECK (
        (ended_at IS NULL) = (ended_by IS NULL) AND (ended_at IS NULL) = (end_reason IS NULL)
        AND end_reason <> '')
);
CREATE UNIQUE INDEX recoveries_one_open ON recoveries ((ended_at IS NULL)) WHERE ended_at IS NULL;
COMMENT ON TABLE recoveries IS
    'Recoveries after commits were lost: no call is sent before the gateway was asked for it.';
COMMENT ON COLUMN recoveries.recovery_id IS 'Number of the recovery.';
COMMENT ON COLUMN recoveries.began_at IS
    'When it began. Every send that the tables do not know was made before.';
COMMENT ON COLUMN recoveries.began_by IS 'The operator, terminal:<user>, or server.';
COMMENT ON COLUMN recoveries.reason IS 'The operator''s reason.';
COMMENT ON COLUMN recoveries.recorded_to IS
    'Time of the last commit that the tables had when it began; null: they had none.';
COMMENT ON COLUMN recoveries.covers_to IS
    'Lost commits that servers recorded up to this time, by their clocks, are dealt with.';
COMMENT ON COLUMN recoveries.ended_at IS 'When an operator ended it; null: it is on.';
COMMENT ON COLUMN recoveries.ended_by IS 'Principal of its end: an operator, or terminal:<user>.';
COMMENT ON COLUMN recoveries.end_reason IS 'The reason for its end.';

-- Begins a recovery, or restarts the one that is on, after another loss; returns whether it is new.
-- Waits for the transactions that are about to send a call, each of which has read the table: from
-- the commit on every server asks first.
CREATE FUNCTION begin_recovery(principal text, reason text, recorded_to timestamptz,
                               covers_to timestamptz)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    began timestamptz;
BEGIN
    LOCK TABLE pawl.recoveries IN ACCESS EXCLUSIVE MODE;
    began := clock_timestamp();
    UPDATE pawl.recoveries AS known
    SET began_at = began, began_by = begin_recovery.principal, reason = begin_recovery.reason,
        covers_to = greatest(known.covers_to, began, begin_recovery.covers_to)
    WHERE known.ended_at IS NULL;
    IF FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO pawl.recoveries (began_at, began_by, reason, recorded_to, covers_to)
    VALUES (began, begin_recovery.principal, begin_recovery.reason, begin_recovery.recorded_to,
            greatest(began, begin_recovery.covers_to));
    RETURN true;
END
$$;
COMMENT ON FUNCTION begin_recovery IS 'Begins a recovery, or restarts the one that is on.';
