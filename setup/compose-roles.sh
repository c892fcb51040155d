#!/usr/bin/env bash
# Run once by the database's container, when its data directory is made: the roles of migrations/README.md, so that
# neither the server nor the migration logs in as a superuser.
set -euo pipefail
psql --no-psqlrc --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
\getenv migrate_password PAWL_DB_MIGRATE_PASSWORD
\getenv password PAWL_DB_PASSWORD
CREATE ROLE pawl_owner NOLOGIN;
CREATE ROLE pawl_runtime NOLOGIN;
CREATE ROLE pawl_migrate LOGIN PASSWORD :'migrate_password';
CREATE ROLE pawl LOGIN PASSWORD :'password';
GRANT pawl_owner, pawl_runtime TO pawl_migrate;
GRANT pawl_runtime TO pawl;
GRANT CREATE ON DATABASE :"DBNAME" TO pawl_migrate;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
SQL
