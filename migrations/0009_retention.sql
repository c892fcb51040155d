-- What may be forgotten, and by whom. The server may neither drop a table nor delete an event:
-- these functions do it for it, and each has a floor of its own.
SET LOCAL ROLE pawl_owner;

-- Functions that run as the owner must find our tables wherever the session of their caller looks,
-- and whatever temporary tables it has.
DO $$
BEGIN
    PERFORM set_config('search_path', (
        SELECT format('%s, pg_temp', relnamespace::regnamespace) FROM pg_class
        WHERE oid = 'webhook_deliveries'::regclass), true);
END
$$;

-- How far the dedup rows of a provider have been forgotten: a transfer from before that has none.
CREATE TABLE forgotten_intents (
    provider  text        NOT NULL,
    before    timestamptz NOT NULL,
    forgotten bigint      NOT NULL,
    CONSTRAINT forgotten_intents_pkey PRIMARY KEY (provider)
);
GRANT SELECT ON forgotten_intents TO pawl_runtime;

-- Takes the oldest weekly partition that ended before `before` away. Whatever an unfinished event
-- still needs goes to the default partition in the same transaction; where that is more than
-- `kept_max` rows, the partition stays: nobody may wait that long behind the lock.
CREATE FUNCTION pawl_drop_delivery_partition(before timestamptz, kept_max integer)
RETURNS TABLE (part text, kept bigint, dropped boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET timezone = 'UTC'
SET lock_timeout = '300ms' AS $$
DECLARE
    home   text := (SELECT relnamespace::regnamespace::text FROM pg_class
                    WHERE oid = 'webhook_deliveries'::regclass);
    oldest record;
    needed text := $needed$
        SELECT own.ctid
        FROM %1$s.%2$I own
        JOIN %1$s.webhook_intents i ON i.provider = own.provider
         AND (i.status IN ('pending', 'parked') OR i.status = 'quarantined')
         AND own.event_id IN (i.event_id, regexp_replace(i.event_id, '~[0-9a-f]{16}$', ''))
        UNION
        SELECT head.ctid
        FROM %1$s.%2$I item
        JOIN %1$s.webhook_intents i ON i.provider = item.provider
         AND (i.status IN ('pending', 'parked') OR i.status = 'quarantined')
         AND item.event_id IN (i.event_id, regexp_replace(i.event_id, '~[0-9a-f]{16}$', ''))
        JOIN %1$s.%2$I head ON head.provider = item.provider AND head.event_id = item.batch_head
         AND head.received_at = item.received_at AND head.batch_head IS NULL$needed$;
BEGIN
    SELECT c.relname, (regexp_match(pg_get_expr(c.relpartbound, c.oid),
                                    'TO [(]''([^'']+)''[)]'))[1]::timestamptz AS ends
    INTO oldest
    FROM pg_inherits h
    JOIN pg_class c ON c.oid = h.inhrelid
    WHERE h.inhparent = 'webhook_deliveries'::regclass
      AND pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT'
    ORDER BY 2
    LIMIT 1;
    -- A day is the floor, whatever the caller says.
    IF oldest IS NULL OR oldest.ends > least(before, clock_timestamp() - interval '1 day') THEN
        RETURN;
    END IF;
    part := oldest.relname;
    EXECUTE format('SELECT count(*) FROM (' || needed || ') n', home, part) INTO kept;
    dropped := kept <= kept_max;
    IF dropped THEN
        EXECUTE format('ALTER TABLE %1$s.webhook_deliveries DETACH PARTITION %1$s.%2$I',
                       home, part);
        EXECUTE format('INSERT INTO %1$s.webhook_deliveries SELECT d.* FROM %1$s.%2$I d '
                       'WHERE d.ctid IN (' || needed || ')', home, part);
        EXECUTE format('DROP TABLE %s.%I', home, part);
    END IF;
    RETURN NEXT;
END
$$;

-- The default partition holds what was moved out of dropped ones; finished since, it may go.
CREATE FUNCTION pawl_reap_kept_deliveries(before timestamptz, rows_max integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    WITH gone AS (
        DELETE FROM webhook_deliveries_default
        WHERE ctid = ANY (ARRAY (
            SELECT d.ctid
            FROM webhook_deliveries_default d
            WHERE d.received_at < least(before, clock_timestamp() - interval '1 day')
              AND NOT EXISTS (
                  SELECT FROM webhook_intents i
                  WHERE i.provider = d.provider
                    AND (i.status IN ('pending', 'parked') OR i.status = 'quarantined')
                    AND d.event_id IN (i.event_id,
                                       regexp_replace(i.event_id, '~[0-9a-f]{16}$', '')))
              AND NOT EXISTS (
                  SELECT FROM webhook_deliveries_default item
                  JOIN webhook_intents i ON i.provider = item.provider
                   AND (i.status IN ('pending', 'parked') OR i.status = 'quarantined')
                   AND item.event_id IN (i.event_id,
                                         regexp_replace(i.event_id, '~[0-9a-f]{16}$', ''))
                  WHERE item.provider = d.provider AND item.batch_head = d.event_id
                    AND item.received_at = d.received_at)
            LIMIT rows_max))
        RETURNING 1)
    SELECT count(*) FROM gone
$$;

-- Forgets final events that are older than their provider's retention. Goes over the rows by time,
-- so many at once, after the last one of the look before; answers with the last one of this look,
-- or with nothing at the end. Two days are the floor, whatever the caller says. What they posted
-- stays, and so do its keys.
CREATE FUNCTION pawl_forget_intents(names text[], befores timestamptz[], after_time timestamptz,
                                    after_provider text, after_event text, looked_at integer)
RETURNS TABLE (last_time timestamptz, last_provider text, last_event text)
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    WITH wanted AS (
        SELECT name, least(before, clock_timestamp() - interval '2 days') AS before
        FROM unnest(names, befores) AS w (name, before)
    ), chunk AS MATERIALIZED (
        SELECT provider, event_id, received_at
        FROM webhook_intents
        WHERE (received_at, provider, event_id) > (after_time, after_provider, after_event)
          AND received_at < (SELECT max(before) FROM wanted)
        ORDER BY received_at, provider, event_id
        LIMIT looked_at
    ), gone AS (
        DELETE FROM webhook_intents i
        USING chunk c
        JOIN wanted w ON w.name = c.provider
        WHERE i.provider = c.provider AND i.event_id = c.event_id
          AND i.status = 'done' AND i.received_at < w.before AND i.done_at < w.before
        RETURNING i.provider, w.before
    ), noted AS (
        INSERT INTO forgotten_intents AS f (provider, before, forgotten)
        SELECT g.provider, max(g.before), count(*) FROM gone g GROUP BY g.provider
        ON CONFLICT (provider) DO UPDATE
        SET before = greatest(f.before, excluded.before),
            forgotten = f.forgotten + excluded.forgotten
    )
    SELECT c.received_at, c.provider, c.event_id
    FROM chunk c
    WHERE (SELECT count(*) FROM chunk) = looked_at
    ORDER BY c.received_at DESC, c.provider DESC, c.event_id DESC
    LIMIT 1
$$;

-- Nobody else keeps the statistics of a partitioned table's parent.
CREATE FUNCTION pawl_analyze_deliveries() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    ANALYZE webhook_deliveries;
END
$$;

REVOKE EXECUTE ON FUNCTION pawl_drop_delivery_partition(timestamptz, integer) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION pawl_reap_kept_deliveries(timestamptz, integer) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION
    pawl_forget_intents(text[], timestamptz[], timestamptz, text, text, integer) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION pawl_analyze_deliveries() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pawl_drop_delivery_partition(timestamptz, integer) TO pawl_runtime;
GRANT EXECUTE ON FUNCTION pawl_reap_kept_deliveries(timestamptz, integer) TO pawl_runtime;
GRANT EXECUTE ON FUNCTION
    pawl_forget_intents(text[], timestamptz[], timestamptz, text, text, integer) TO pawl_runtime;
GRANT EXECUTE ON FUNCTION pawl_analyze_deliveries() TO pawl_runtime;
