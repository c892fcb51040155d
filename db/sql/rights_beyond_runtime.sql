-- A client that can run any statement in a session can RESET ROLE: then the login's own rights
-- count, and not those of pawl_runtime.
-- gives beyond text
WITH login AS (
    SELECT r.oid, r.rolname, r.rolsuper, r.rolcreaterole, r.rolcreatedb, r.rolreplication,
           r.rolbypassrls
    FROM pg_roles r
    WHERE r.rolname = session_user
)
SELECT 'is a superuser' AS beyond FROM login WHERE rolsuper
UNION ALL SELECT 'may create roles' FROM login WHERE rolcreaterole AND NOT rolsuper
UNION ALL SELECT 'may create databases' FROM login WHERE rolcreatedb AND NOT rolsuper
UNION ALL SELECT 'may replicate' FROM login WHERE rolreplication AND NOT rolsuper
UNION ALL SELECT 'bypasses row security' FROM login WHERE rolbypassrls AND NOT rolsuper
UNION ALL SELECT 'owns this database'
FROM login JOIN pg_database d ON d.datdba = login.oid AND d.datname = current_database()
WHERE NOT rolsuper
UNION ALL SELECT 'is a member of ' || other.rolname
FROM login
JOIN pg_roles other ON other.oid <> login.oid AND other.rolname <> 'pawl_runtime'
 AND pg_has_role(login.oid, other.oid, 'MEMBER')
WHERE NOT login.rolsuper
