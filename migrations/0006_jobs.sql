-- What was staged with a fact is moved here and carried out.
SET LOCAL ROLE pawl_owner;

-- A job keeps the id it was staged under; one that several subscribers want becomes a row for each.
-- A job that runs is `ready` with a lease: so that claiming it changes no indexed column.
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
    crashes        integer     NOT NULL DEFAULT 0,   -- leases in a row that ended without a word
    lease          bigint      NOT NULL DEFAULT 0,   -- only rises; every write carries it
    locked_until   timestamptz,                      -- by the database's clock
    last_error     text,
    staged_at      timestamptz NOT NULL,
    done_at        timestamptz,
    CONSTRAINT jobs_pkey PRIMARY KEY (id, target),
    CONSTRAINT jobs_state_known CHECK (state IN ('ready', 'done', 'dead', 'discarded')),
    CONSTRAINT jobs_dead_says_why CHECK (state <> 'dead' OR last_error IS NOT NULL),
    CONSTRAINT jobs_done_at_when_over CHECK ((done_at IS NULL) = (state = 'ready'))
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
CREATE INDEX jobs_due ON jobs (kind, target, run_at, id)
    WHERE state = 'ready' AND ordering_key IS NULL;
CREATE INDEX jobs_in_order ON jobs (kind, target, ordering_key, id)
    WHERE state = 'ready' AND ordering_key IS NOT NULL;
CREATE INDEX jobs_over ON jobs (done_at) WHERE state IN ('done', 'discarded');
CREATE INDEX jobs_dead ON jobs (done_at) WHERE state = 'dead';
GRANT SELECT, INSERT, UPDATE, DELETE ON jobs TO pawl_runtime;

-- Every row of it is short-lived: what was moved is dead weight for the next look.
ALTER TABLE staged_jobs SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
                             autovacuum_vacuum_insert_scale_factor = 0.2);
-- Locking a row takes the right to change it, if only one column.
GRANT UPDATE (staged_at) ON staged_jobs TO pawl_runtime;
