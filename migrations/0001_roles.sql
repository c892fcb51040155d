-- Two roles. pawl_owner owns every table and migrates; pawl_runtime is what the server runs as: it
-- can add to the books, and can neither alter a table nor delete from journal, intents or audit.
-- Creating roles needs CREATEROLE. Where the migrating user lacks it, an administrator runs first:
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
            -- Another database's migration was first: roles belong to the whole cluster.
            WHEN duplicate_object OR unique_violation THEN NULL;
            WHEN insufficient_privilege THEN
                RAISE EXCEPTION 'role % is missing and % may not create it', wanted, current_user
                    USING HINT = 'the first lines of migrations/0001_roles.sql say what to run';
        END;
        -- From PostgreSQL 16 on, who creates a role is its member, but may not SET ROLE to it.
        IF NOT pg_has_role(current_user, wanted, CASE
                WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET'
                ELSE 'MEMBER' END) THEN
            EXECUTE format('GRANT %I TO %I', wanted, current_user);
        END IF;
    END LOOP;
    EXECUTE format('GRANT USAGE, CREATE ON SCHEMA %I TO pawl_owner', current_schema());
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO pawl_runtime', current_schema());
END
$$;

SET LOCAL ROLE pawl_owner;

CREATE TABLE schema_migrations (
    name       text        NOT NULL,
    checksum   text        NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    applied_by text        NOT NULL DEFAULT session_user,
    CONSTRAINT schema_migrations_pkey PRIMARY KEY (name),
    CONSTRAINT schema_migrations_checksum_is_sha256 CHECK (checksum ~ '^[0-9a-f]{64}$')
);
GRANT SELECT ON schema_migrations TO pawl_runtime;
