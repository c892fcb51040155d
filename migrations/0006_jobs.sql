-- What was staged with a fact is moved here and carried out.
SET LOCAL ROLE pawl_owner;

-- A job keeps the id it was staged under; what is derived from another job counts on from there.
CREATE TABLE jobs (
    id             bigint      NOT NULL,
    kind           text        NOT NULL,
    target         text        NOT NULL DEFAULT '',  -- the subscriber, where there is one
    ordering_key   text,                             -- those of one key run one after the other
    payload        jsonb       NOT NULL,
    correlation_id text        NOT NULL,
    state          text        NOT NULL DEFAULT 'ready',
    run_at         timestamptz NOT NULL,
    attempts       integer     NOT NULL DEFAULT 0,   -- counted at claim
    lease          bigint      NOT NULL DEFAULT 0,   -- only rises
    locked_until   timestamptz,
    last_error     text,
    staged_at      timestamptz NOT NULL,
    done_at        timestamptz,
    CONSTRAINT jobs_pkey PRIMARY KEY (id, target),
    CONSTRAINT jobs_state_known CHECK (state IN ('ready', 'running', 'done', 'dead', 'discarded')),
    CONSTRAINT jobs_dead_says_why CHECK (state <> 'dead' OR last_error IS NOT NULL)
) WITH (fillfactor = 70);
CREATE INDEX jobs_due ON jobs (kind, target, run_at) WHERE state IN ('ready', 'running');
CREATE INDEX jobs_finished ON jobs (done_at) WHERE state IN ('done', 'discarded');
GRANT SELECT, INSERT, UPDATE, DELETE ON jobs TO pawl_runtime;
