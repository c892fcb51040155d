-- Two roles and one schema. pawl_owner owns every table and migrates; pawl_runtime is the role of
-- the server: 0009_privileges.sql lists what it may do. Creating roles needs CREATEROLE. Where the
-- migrating user lacks it, an administrator runs first:
--   CREATE ROLE pawl_owner NOLOGIN; CREATE ROLE pawl_runtime NOLOGIN;
--   GRANT pawl_owner, pawl_runtime TO <the user that migrates>;
DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['pawl_owner', 'pawl_runtime'] LOOP
        BEGIN
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
                EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
            END IF;
        EXCEPTION
            -- Roles belong to the whole cluster: another database's migration created it first.
            WHEN duplicate_object OR unique_violation THEN NULL;
            WHEN insufficient_privilege THEN
                RAISE EXCEPTION 'role % is missing and % may not create it', wanted, current_user
                    USING HINT = 'run the statements at the top of migrations/0001_roles.sql';
        END;
        -- From PostgreSQL 16 on, the creator of a role is its member, but may not SET ROLE to it.
        IF NOT pg_has_role(current_user, wanted, CASE
                WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET'
                ELSE 'MEMBER' END) THEN
            EXECUTE format('GRANT %I TO %I', wanted, current_user);
        END IF;
    END LOOP;
    -- Pawl's own cluster, whose superuser has this name: the server's login, with one role only.
    IF current_user = 'pawl_admin' THEN
        BEGIN
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'pawl_server') THEN
                CREATE ROLE pawl_server LOGIN IN ROLE pawl_runtime;
            END IF;
        EXCEPTION
            WHEN duplicate_object OR unique_violation THEN NULL;  -- as above
        END;
    END IF;
    IF to_regnamespace('pawl') IS NULL THEN
        CREATE SCHEMA pawl AUTHORIZATION pawl_owner;
    END IF;
    GRANT USAGE, CREATE ON SCHEMA pawl TO pawl_owner;
    GRANT USAGE ON SCHEMA pawl TO pawl_runtime;
END
$$;

SET LOCAL ROLE pawl_owner;

CREATE TABLE pawl.schema_migrations (
    name       text COLLATE "C" NOT NULL,
    checksum   text             NOT NULL,
    applied_at timestamptz      NOT NULL DEFAULT clock_timestamp(),
    applied_by text             NOT NULL DEFAULT session_user,
    CONSTRAINT schema_migrations_pkey PRIMARY KEY (name),
    CONSTRAINT schema_migrations_checksum_is_sha256 CHECK (checksum ~ '^[0-9a-f]{64}$')
);
COMMENT ON TABLE pawl.schema_migrations IS 'Migrations that were applied to this database.';
COMMENT ON COLUMN pawl.schema_migrations.name IS 'File name without .sql.';
COMMENT ON COLUMN pawl.schema_migrations.checksum IS 'SHA-256 of the file as applied, in hex.';
COMMENT ON COLUMN pawl.schema_migrations.applied_at IS 'When it was applied.';
COMMENT ON COLUMN pawl.schema_migrations.applied_by IS 'The login that applied it.';

CREATE TABLE pawl.installation (
    one  boolean NOT NULL DEFAULT true,
    mode text    NOT NULL,
    CONSTRAINT installation_pkey PRIMARY KEY (one),
    CONSTRAINT installation_one_row CHECK (one),
    CONSTRAINT installation_mode_known CHECK (mode IN ('live', 'test'))
);
-- The server asks for more (intents/sql/mode_bound_by.sql); this holds whatever it asks.
CREATE FUNCTION pawl.refuse_change_of_mode() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF pg_has_role(current_user, 'pawl_owner', 'MEMBER')
       OR NOT EXISTS (SELECT FROM pawl.transfers) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'installation: money is posted; its mode does not change any more'
        USING ERRCODE = 'insufficient_privilege';
END
$$;
COMMENT ON FUNCTION pawl.refuse_change_of_mode IS 'Keeps the mode of money that is posted.';
CREATE TRIGGER installation_mode_stays BEFORE UPDATE OF mode ON pawl.installation
    FOR EACH ROW WHEN (OLD.mode <> NEW.mode) EXECUTE FUNCTION pawl.refuse_change_of_mode();
COMMENT ON TABLE pawl.installation IS 'What holds for the whole database: one row.';
COMMENT ON COLUMN pawl.installation.one IS 'Always true: there is one row.';
COMMENT ON COLUMN pawl.installation.mode IS
    'The mode of the money posted here: live or test. It changes only while nothing is posted.';
