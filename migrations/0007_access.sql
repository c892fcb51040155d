-- Tokens and the audit log.
SET LOCAL ROLE pawl_owner;
SET LOCAL search_path = pawl, pg_temp;

CREATE TABLE api_tokens (
    token_id     bigint           GENERATED ALWAYS AS IDENTITY,
    principal    text COLLATE "C" NOT NULL,
    role         text             NOT NULL,
    token_sha256 bytea            NOT NULL,
    hint         text             NOT NULL,
    created_at   timestamptz      NOT NULL DEFAULT clock_timestamp(),
    expires_at   timestamptz,
    revoked_at   timestamptz,
    CONSTRAINT api_tokens_pkey PRIMARY KEY (token_id),
    CONSTRAINT api_tokens_token_sha256_key UNIQUE (token_sha256),
    CONSTRAINT api_tokens_role_known CHECK (role IN ('api', 'viewer', 'operator')),
    CONSTRAINT api_tokens_principal_named CHECK (principal ~ '^[a-zA-Z0-9][a-zA-Z0-9_.:-]{0,63}$'),
    CONSTRAINT api_tokens_hash_is_sha256 CHECK (octet_length(token_sha256) = 32)
);
COMMENT ON TABLE api_tokens IS 'API and admin tokens, as hashes.';
COMMENT ON COLUMN api_tokens.token_id IS 'Number of the token.';
COMMENT ON COLUMN api_tokens.principal IS 'Owner of the token; survives token rotation.';
COMMENT ON COLUMN api_tokens.role IS 'api, viewer or operator.';
COMMENT ON COLUMN api_tokens.token_sha256 IS 'SHA-256 of the token.';
COMMENT ON COLUMN api_tokens.hint IS 'First characters of the token.';
COMMENT ON COLUMN api_tokens.created_at IS 'When it was created.';
COMMENT ON COLUMN api_tokens.expires_at IS 'When it expires; null: never.';
COMMENT ON COLUMN api_tokens.revoked_at IS 'When it was revoked.';

CREATE TABLE audit_log (
    audit_id   bigint           GENERATED ALWAYS AS IDENTITY,
    at         timestamptz      NOT NULL DEFAULT clock_timestamp(),
    principal  text COLLATE "C" NOT NULL,
    action     text             NOT NULL,
    subject    text COLLATE "C" NOT NULL,
    reason     text             NOT NULL,
    details    json             NOT NULL DEFAULT '{}',
    chain_prev bytea,
    chain_hash bytea,
    CONSTRAINT audit_log_pkey PRIMARY KEY (audit_id),
    CONSTRAINT audit_log_reason_given CHECK (reason <> '')
);
CREATE INDEX audit_log_subject ON audit_log (subject, audit_id);
COMMENT ON TABLE audit_log IS 'Changes by operators, token changes and rejected sign-ins.';
COMMENT ON COLUMN audit_log.audit_id IS 'Number of the entry.';
COMMENT ON COLUMN audit_log.at IS 'When it happened.';
COMMENT ON COLUMN audit_log.principal IS 'The operator, or terminal:<user>.';
COMMENT ON COLUMN audit_log.action IS 'What was done.';
COMMENT ON COLUMN audit_log.subject IS 'What it was done to.';
COMMENT ON COLUMN audit_log.reason IS 'The operator''s reason.';
COMMENT ON COLUMN audit_log.details IS
    'Details of the action, byte for byte as written: the chain covers them.';
COMMENT ON COLUMN audit_log.chain_prev IS 'Beginning of the hash of the link before it.';
COMMENT ON COLUMN audit_log.chain_hash IS
    'The entry''s link: a keyed hash over the entry and the link before.';

-- The server writes the audit log through this: an entry is of now, and has a reason. Returns its
-- number and its time in microseconds, which its chain covers by the next link.
CREATE FUNCTION write_audit(principal text, action text, subject text, reason text, details json,
                            chain_mark bytea DEFAULT NULL, chain_link bytea DEFAULT NULL)
RETURNS TABLE (id bigint, microseconds bigint)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp ROWS 1 AS $$
    INSERT INTO pawl.audit_log (principal, action, subject, reason, details, chain_prev, chain_hash)
    VALUES (principal, action, subject, reason, details, chain_mark, chain_link)
    RETURNING audit_id, (extract(epoch FROM at) * 1000000)::bigint
$$;
COMMENT ON FUNCTION write_audit IS 'Appends an entry to the audit log.';
