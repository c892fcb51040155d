-- What cannot be applied yet, and what it waits for.
SET LOCAL ROLE pawl_owner;

-- What an unfinished event is going to do, as it was read: so that whoever posts what it waits for
-- can finish it in the same transaction, without its bytes. Null for everything finished.
ALTER TABLE webhook_intents ADD COLUMN plan jsonb;

-- One row for each event that waits for another's effect.
CREATE TABLE effect_waits (
    effect_key text NOT NULL,
    provider   text NOT NULL,
    event_id   text NOT NULL,
    CONSTRAINT effect_waits_pkey PRIMARY KEY (effect_key, provider, event_id)
);
GRANT SELECT, INSERT, DELETE ON effect_waits TO pawl_runtime;

-- Events that came before their turn. `passed`: it has been dealt with, and only keeps its place
-- until the numbers before it have come.
CREATE TABLE sequence_waits (
    books    text    NOT NULL,
    scope    text    NOT NULL,
    sequence bigint  NOT NULL,
    provider text    NOT NULL,
    event_id text    NOT NULL,
    passed   boolean NOT NULL,
    CONSTRAINT sequence_waits_pkey PRIMARY KEY (books, scope, sequence, provider, event_id)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON sequence_waits TO pawl_runtime;

-- How much has been posted for an object whose provider reports totals.
CREATE TABLE object_totals (
    books         text   NOT NULL,
    object        text   NOT NULL,
    currency      text   NOT NULL,
    posted        bigint NOT NULL,
    last_sequence bigint,
    CONSTRAINT object_totals_pkey PRIMARY KEY (books, object, currency)
) WITH (fillfactor = 70);
GRANT SELECT, INSERT, UPDATE ON object_totals TO pawl_runtime;

-- An account that is told its balance takes no increments, and the other way round.
ALTER TABLE balances ADD COLUMN absolute boolean NOT NULL DEFAULT false;

-- A stream is known from its first gap on, which may come before its first number.
ALTER TABLE sequences ALTER COLUMN last DROP NOT NULL;
