-- What a caller of /v1 asked for under a key of its own, and what it was answered.
SET LOCAL ROLE pawl_owner;

CREATE TABLE idempotency_keys (
    principal    text        NOT NULL,
    route        text        NOT NULL,       -- method and route template
    key          text        NOT NULL,
    fingerprint  bytea       NOT NULL,       -- SHA-256 over method, target, content type and body
    subject      text        NOT NULL,       -- the payment or refund that the first use made
    -- The first answer, stored once: at settlement or when the wait ran out, whichever is first.
    status       integer,
    headers      bytea,
    body         bytea,
    wait_until   timestamptz NOT NULL,       -- after that whoever asks again may store a 202
    created_at   timestamptz NOT NULL,
    answered_at  timestamptz,
    expires_at   timestamptz NOT NULL,
    CONSTRAINT idempotency_keys_pkey PRIMARY KEY (principal, route, key),
    CONSTRAINT idempotency_keys_fingerprint_is_sha256 CHECK (octet_length(fingerprint) = 32),
    CONSTRAINT idempotency_keys_answer_whole
        CHECK ((status IS NULL) = (body IS NULL) AND (status IS NULL) = (answered_at IS NULL))
);
CREATE INDEX idempotency_keys_subject ON idempotency_keys (subject);
CREATE INDEX idempotency_keys_expired ON idempotency_keys (expires_at) WHERE status IS NOT NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_keys TO pawl_runtime;
