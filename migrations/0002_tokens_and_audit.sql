-- Who may ask, and what was changed by whom.
SET LOCAL ROLE pawl_owner;

-- A token belongs to a principal that outlives its rotation: idempotency keys and audit rows name
-- the principal, never the token. Only the hash of a token is kept.
CREATE TABLE api_tokens (
    token_id     bigint      GENERATED ALWAYS AS IDENTITY,
    principal    text        NOT NULL,
    role         text        NOT NULL,
    token_sha256 bytea       NOT NULL,
    hint         text        NOT NULL,  -- its first characters, so that a person can tell two apart
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at   timestamptz,
    revoked_at   timestamptz,
    CONSTRAINT api_tokens_pkey PRIMARY KEY (token_id),
    CONSTRAINT api_tokens_token_sha256_key UNIQUE (token_sha256),
    CONSTRAINT api_tokens_role_known CHECK (role IN ('api', 'viewer', 'operator')),
    CONSTRAINT api_tokens_principal_named CHECK (principal ~ '^[a-zA-Z0-9][a-zA-Z0-9_.:-]{0,63}$'),
    CONSTRAINT api_tokens_hash_is_sha256 CHECK (octet_length(token_sha256) = 32)
);
GRANT SELECT, INSERT ON api_tokens TO pawl_runtime;
GRANT UPDATE (revoked_at) ON api_tokens TO pawl_runtime;

-- The chain columns hold each row's place in a hash chain, so that a later cut can be found.
CREATE TABLE audit_log (
    audit_id   bigint      GENERATED ALWAYS AS IDENTITY,
    at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    principal  text        NOT NULL,
    action     text        NOT NULL,
    subject    text        NOT NULL,
    reason     text        NOT NULL,
    details    jsonb       NOT NULL DEFAULT '{}',
    chain_prev bytea,
    chain_hash bytea,
    CONSTRAINT audit_log_pkey PRIMARY KEY (audit_id),
    CONSTRAINT audit_log_reason_given CHECK (reason <> '')
);
GRANT SELECT, INSERT ON audit_log TO pawl_runtime;
