-- The first function that runs as the owner looked for tables where its caller's session does, and
-- in the caller's temporary ones before all: whoever may call it could have it write to those, with
-- the owner's rights.
SET LOCAL ROLE pawl_owner;

DO $$
BEGIN
    PERFORM set_config('search_path', (
        SELECT format('%s, pg_temp', relnamespace::regnamespace) FROM pg_class
        WHERE oid = 'webhook_deliveries'::regclass), true);
END
$$;
ALTER FUNCTION pawl_make_delivery_partitions(timestamptz, integer) SET search_path FROM CURRENT;
