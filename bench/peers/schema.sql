-- The tables of the peers that use PostgreSQL: the least that a receiver needs to credit an event
-- once. Durable and constrained as Pawl's are, and narrower: no raw bytes, no headers, no staged
-- job.
CREATE TABLE events (
    id          text COLLATE "C" NOT NULL,
    received_at timestamptz      NOT NULL DEFAULT now(),
    CONSTRAINT events_pkey PRIMARY KEY (id)
);
CREATE TABLE balances (
    account  text COLLATE "C" NOT NULL,
    currency text COLLATE "C" NOT NULL,
    minor    bigint           NOT NULL,
    CONSTRAINT balances_pkey PRIMARY KEY (account, currency)
);
CREATE TABLE journal (
    id         bigint GENERATED ALWAYS AS IDENTITY,
    effect_key text COLLATE "C" NOT NULL,
    event_id   text COLLATE "C" NOT NULL,
    account    text COLLATE "C" NOT NULL,
    currency   text COLLATE "C" NOT NULL,
    minor      bigint           NOT NULL,
    posted_at  timestamptz      NOT NULL DEFAULT now(),
    CONSTRAINT journal_pkey PRIMARY KEY (id),
    CONSTRAINT journal_effect_key UNIQUE (effect_key)
);
