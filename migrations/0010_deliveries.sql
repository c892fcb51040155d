-- Which bytes may go, and by whom. The server may not drop a table: these functions do it for it,
-- by the database's clock and each with a floor of its own.
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

ALTER FUNCTION pawl_make_delivery_partitions(timestamptz, integer) SET search_path FROM CURRENT;

-- Those that wait, by the time they came: what a dropped partition must leave behind is found by
-- it. It has the place of an index over the quarantined alone.
CREATE INDEX webhook_intents_open ON webhook_intents (received_at) WHERE status <> 'done';
DROP INDEX webhook_intents_quarantined;

-- How far the bytes that are still needed have been copied out of a partition that is going to be
-- dropped. Only unfinished events need theirs, and what is finished stays so.
CREATE TABLE delivery_moves (
    part             text        NOT NULL,
    reached_at       timestamptz NOT NULL DEFAULT '-infinity',
    reached_provider text        NOT NULL DEFAULT '',
    reached_event    text        NOT NULL DEFAULT '',
    complete         boolean     NOT NULL DEFAULT false,
    CONSTRAINT delivery_moves_pkey PRIMARY KEY (part)
);
GRANT SELECT ON delivery_moves TO pawl_runtime;

-- Partitions that ended so long ago, the oldest first; a day is the floor. One without an end that
-- is a time is not ours to drop.
CREATE FUNCTION pawl_expired_deliveries(kept interval)
RETURNS TABLE (part text, starts timestamptz, ends timestamptz)
LANGUAGE sql STABLE STRICT SET search_path FROM CURRENT SET timezone = 'UTC' AS $$
    SELECT c.relname::text, coalesce(bound.starts, '-infinity'), bound.ends
    FROM pg_inherits h
    JOIN pg_class p ON p.oid = h.inhparent
    JOIN pg_class c ON c.oid = h.inhrelid AND c.relkind = 'r'
     AND c.relnamespace = p.relnamespace AND length(c.relname) < 58
    CROSS JOIN LATERAL (
        SELECT (regexp_match(said, 'FROM [(]''([^'']+)''[)]'))[1]::timestamptz AS starts,
               (regexp_match(said, 'TO [(]''([^'']+)''[)]'))[1]::timestamptz AS ends
        FROM pg_get_expr(c.relpartbound, c.oid) AS said) AS bound
    WHERE h.inhparent = 'webhook_deliveries'::regclass
      AND bound.ends <= clock_timestamp() - greatest(kept, interval '1 day')
    ORDER BY bound.ends, c.relname
$$;

-- Tables that are named at run time are named with their schema: a temporary one of the caller is
-- found where no other is.

-- Copies what unfinished events need out of one partition, so many events at once, each call a
-- transaction of its own; into a table that will take the partition's place. Nobody who receives
-- waits for it. True: there is more.
CREATE FUNCTION pawl_keep_deliveries(name text, kept interval, looked_at integer)
RETURNS boolean
LANGUAGE plpgsql STRICT SECURITY DEFINER SET search_path FROM CURRENT SET timezone = 'UTC'
SET lock_timeout = '300ms' SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_sort = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    expired record;
    whole   text := format('%I.%I', current_schema(), name);
    twin    text := format('%I.%I', current_schema(), name || '_kept');
    place   delivery_moves;
    step    record;
BEGIN
    SELECT * INTO expired FROM pawl_expired_deliveries(kept) e WHERE e.part = name;
    IF NOT FOUND OR right(name, 5) = '_kept' THEN
        RETURN false;
    END IF;
    INSERT INTO delivery_moves (part) VALUES (name) ON CONFLICT DO NOTHING;
    SELECT * INTO place FROM delivery_moves m WHERE m.part = name FOR UPDATE;
    IF place.complete THEN
        RETURN false;
    END IF;
    IF to_regclass(twin) IS NULL THEN
        EXECUTE format('CREATE TABLE %s (LIKE webhook_deliveries INCLUDING ALL EXCLUDING IDENTITY)',
                       twin);
    END IF;
    SELECT count(*) AS seen, array_agg(c.received_at) AS times,
           array_agg(c.provider) AS providers, array_agg(c.event_id) AS events
    INTO step
    FROM (SELECT i.received_at, i.provider, i.event_id
          FROM webhook_intents i
          WHERE i.status <> 'done'
            AND (i.received_at, i.provider, i.event_id)
                > (place.reached_at, place.reached_provider, place.reached_event)
            AND i.received_at < expired.ends
          ORDER BY i.received_at, i.provider, i.event_id
          LIMIT looked_at) AS c;
    IF step.seen = 0 THEN
        UPDATE delivery_moves m SET complete = true WHERE m.part = name;
        RETURN false;
    END IF;
    -- An event whose id was taken by other content came under that id. The first item of a batch
    -- has the bytes of them all.
    EXECUTE format(
        'WITH own AS ('
        '    SELECT d.ctid, d.provider, d.received_at, d.batch_head'
        '    FROM (SELECT DISTINCT w.provider, id.came_as'
        '          FROM unnest($1, $2) AS w (provider, event_id)'
        '          CROSS JOIN LATERAL (VALUES (w.event_id),'
        '              (regexp_replace(w.event_id, ''~[0-9a-f]{16}$'', ''''))) AS id (came_as)) n'
        '    JOIN %1$s d ON d.provider = n.provider AND d.event_id = n.came_as),'
        'needed AS ('
        '    SELECT ctid FROM own UNION'
        '    SELECT head.ctid FROM own'
        '    JOIN %1$s head ON head.provider = own.provider AND head.event_id = own.batch_head'
        '     AND head.received_at = own.received_at AND head.batch_head IS NULL)'
        'INSERT INTO %2$s SELECT d.* FROM %1$s d '
        'WHERE d.ctid = ANY (ARRAY (SELECT ctid FROM needed))'
        '  AND NOT EXISTS (SELECT FROM %2$s k WHERE k.provider = d.provider'
        '                  AND k.event_id = d.event_id AND k.delivery_id = d.delivery_id)',
        whole, twin) USING step.providers, step.events;
    UPDATE delivery_moves m
    SET reached_at = step.times[step.seen], reached_provider = step.providers[step.seen],
        reached_event = step.events[step.seen], complete = step.seen < looked_at
    WHERE m.part = name;
    RETURN step.seen = looked_at;
END
$$;

-- Takes a partition away whose needed bytes have been copied, and gives its place to the copies. A
-- partition of copies goes when it is empty. Nobody who receives is held up but by the last lines,
-- and those read nothing but the default partition: where that is large, copies cannot take a
-- place. Answers with what became of it, or with nothing where it is not time.
CREATE FUNCTION pawl_drop_delivery_partition(name text, kept interval) RETURNS text
LANGUAGE plpgsql STRICT SECURITY DEFINER SET search_path FROM CURRENT SET timezone = 'UTC'
SET lock_timeout = '300ms' SET enable_seqscan = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
DECLARE
    expired record;
    whole   text := format('%I.%I', current_schema(), name);
    twin    text := format('%I.%I', current_schema(), name || '_kept');
    bound   text;
    inside  text;
    missing boolean;
    needed  boolean := false;
BEGIN
    SELECT * INTO expired FROM pawl_expired_deliveries(kept) e WHERE e.part = name;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE ROW EXCLUSIVE MODE', whole);
    IF right(name, 5) = '_kept' THEN
        EXECUTE format('SELECT EXISTS (SELECT FROM %s)', whole) INTO needed;
        IF needed THEN
            RETURN NULL;
        END IF;
    ELSE
        PERFORM 1 FROM delivery_moves m WHERE m.part = name AND m.complete FOR UPDATE;
        IF NOT FOUND THEN
            RETURN NULL;
        END IF;
        EXECUTE format('SELECT EXISTS (SELECT FROM %s)', twin) INTO needed;
        -- Nothing is: only a clock that was far behind could have written here meanwhile.
        EXECUTE format(
            'SELECT EXISTS (SELECT FROM webhook_intents i'
            ' JOIN %1$s d ON d.provider = i.provider AND d.received_at = i.received_at'
            '  AND d.event_id IN (i.event_id,'
            '                     regexp_replace(i.event_id, ''~[0-9a-f]{16}$'', ''''))'
            ' WHERE i.status <> ''done'' AND i.received_at >= $1 AND i.received_at < $2'
            '   AND NOT EXISTS (SELECT FROM %2$s k WHERE k.provider = d.provider'
            '                   AND k.event_id = d.event_id AND k.delivery_id = d.delivery_id))',
            whole, twin) INTO missing USING expired.starts, expired.ends;
        IF missing THEN
            DELETE FROM delivery_moves m WHERE m.part = name;
            RETURN 'begun again';
        END IF;
    END IF;
    IF needed AND pg_relation_size('webhook_deliveries_default') > 64 * 1024 * 1024 THEN
        RETURN 'the default partition is too large';
    END IF;
    SELECT pg_get_expr(c.relpartbound, c.oid), pg_get_partition_constraintdef(c.oid)
    INTO bound, inside
    FROM pg_class c WHERE c.oid = whole::regclass;
    IF needed THEN
        EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I CHECK (%s)',
                       twin, name || '_time', inside);
    END IF;
    EXECUTE format('ALTER TABLE webhook_deliveries DETACH PARTITION %s', whole);
    EXECUTE format('DROP TABLE %s', whole);
    IF needed THEN
        EXECUTE format('ALTER TABLE webhook_deliveries ATTACH PARTITION %s %s', twin, bound);
    ELSIF right(name, 5) <> '_kept' THEN
        EXECUTE format('DROP TABLE %s', twin);
    END IF;
    DELETE FROM delivery_moves m WHERE m.part = name;
    RETURN 'dropped';
END
$$;

-- Where bytes are that no dropping takes away.
CREATE FUNCTION pawl_kept_deliveries() RETURNS SETOF text
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
    SELECT c.relname::text
    FROM pg_inherits h
    JOIN pg_class p ON p.oid = h.inhparent
    JOIN pg_class c ON c.oid = h.inhrelid AND c.relkind = 'r' AND c.relnamespace = p.relnamespace
    WHERE h.inhparent = 'webhook_deliveries'::regclass
      AND (pg_get_expr(c.relpartbound, c.oid) = 'DEFAULT' OR right(c.relname, 5) = '_kept')
    ORDER BY c.relname
$$;

-- Deletes what is old there and belongs to no unfinished event, so many blocks of the table at
-- once. A row is needed by an event of its own id, or by one that came at the same moment: as
-- another item of the batch, or under an id that was taken. Answers with the block to go on from,
-- or with nothing at the end.
CREATE FUNCTION pawl_reap_kept_deliveries(name text, kept interval, from_block bigint,
                                          blocks integer)
RETURNS bigint
LANGUAGE plpgsql STRICT SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '300ms'
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    whole text        := format('%I.%I', current_schema(), name);
    till  timestamptz := clock_timestamp() - greatest(kept, interval '1 day');
BEGIN
    IF NOT EXISTS (SELECT FROM pawl_kept_deliveries() k WHERE k = name) THEN
        RETURN NULL;
    END IF;
    EXECUTE format(
        'DELETE FROM %s d '
        'WHERE d.ctid >= $1 AND d.ctid < $2 AND d.received_at < $3'
        '  AND NOT EXISTS (SELECT FROM webhook_intents i WHERE i.provider = d.provider'
        '                  AND i.event_id = d.event_id AND i.status <> ''done'')'
        '  AND NOT EXISTS (SELECT FROM webhook_intents i WHERE i.received_at = d.received_at'
        '                  AND i.provider = d.provider AND i.status <> ''done'')', whole)
    USING format('(%s,0)', from_block)::tid, format('(%s,0)', from_block + blocks)::tid, till;
    IF (from_block + blocks) * current_setting('block_size')::bigint
       >= pg_relation_size(whole::regclass) THEN
        RETURN NULL;
    END IF;
    RETURN from_block + blocks;
END
$$;

-- Nobody else keeps the statistics of a partitioned table's parent.
CREATE FUNCTION pawl_analyze_deliveries() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    ANALYZE webhook_deliveries;
END
$$;

REVOKE EXECUTE ON FUNCTION
    pawl_keep_deliveries(text, interval, integer),
    pawl_drop_delivery_partition(text, interval),
    pawl_reap_kept_deliveries(text, interval, bigint, integer),
    pawl_analyze_deliveries() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    pawl_keep_deliveries(text, interval, integer),
    pawl_drop_delivery_partition(text, interval),
    pawl_reap_kept_deliveries(text, interval, bigint, integer),
    pawl_analyze_deliveries() TO pawl_runtime;

-- What an event led to is asked by its correlation id. A hash is the smallest index that finds it:
-- it makes an eighth more of a job's WAL, where reading all jobs made the question time out.
CREATE INDEX jobs_correlation ON jobs USING hash (correlation_id);
