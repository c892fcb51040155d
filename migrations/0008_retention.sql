-- What retention may drop or purge. The server can neither drop a table nor delete an intent: these
-- functions of the owner do, by the database's clock and each with a floor of its own. They run
-- with a search_path of their own and name every table with its schema, so that their caller
-- cannot substitute one.
SET LOCAL ROLE pawl_owner;
SET LOCAL search_path = pawl, pg_temp;

-- The transfers of purged intents stay, without an event: of those it holds how many there must
-- be, and a sum over their keys, so that no other can hide among them.
CREATE TABLE purged_intents (
    provider         text COLLATE "C" NOT NULL,
    before           timestamptz      NOT NULL DEFAULT '-infinity',
    forgotten        bigint           NOT NULL DEFAULT 0,
    posted           bigint           NOT NULL DEFAULT 0,
    posted_keys      numeric          NOT NULL DEFAULT 0,
    reached_at       timestamptz      NOT NULL DEFAULT '-infinity',
    reached_provider text COLLATE "C" NOT NULL DEFAULT '',
    reached_event    text COLLATE "C" NOT NULL DEFAULT '',
    reached_later    text COLLATE "C" NOT NULL DEFAULT '',
    CONSTRAINT purged_intents_pkey PRIMARY KEY (provider)
);
COMMENT ON TABLE purged_intents IS 'What was purged of each provider''s intents.';
COMMENT ON COLUMN purged_intents.provider IS 'Name of the provider.';
COMMENT ON COLUMN purged_intents.before IS 'Intents received before this were purged.';
COMMENT ON COLUMN purged_intents.forgotten IS 'Number of intents that were purged.';
COMMENT ON COLUMN purged_intents.posted IS 'Number of those that had moved money.';
COMMENT ON COLUMN purged_intents.posted_keys IS 'Sum over their effect keys.';
COMMENT ON COLUMN purged_intents.reached_at IS 'received_at of the last intent that was scanned.';
COMMENT ON COLUMN purged_intents.reached_provider IS 'Its provider.';
COMMENT ON COLUMN purged_intents.reached_event IS 'Its event id.';
COMMENT ON COLUMN purged_intents.reached_later IS 'Last event id scanned in purge_retry.';

CREATE TABLE purge_retry (
    provider text COLLATE "C" NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    CONSTRAINT purge_retry_pkey PRIMARY KEY (provider, event_id)
);
COMMENT ON TABLE purge_retry IS
    'Old intents that could not be purged yet: unfinished, or named by parked events.';
COMMENT ON COLUMN purge_retry.provider IS 'Provider of the intent.';
COMMENT ON COLUMN purge_retry.event_id IS 'Event id of the intent.';

CREATE TABLE partition_copies (
    part             text COLLATE "C" NOT NULL,
    reached_at       timestamptz      NOT NULL DEFAULT '-infinity',
    reached_provider text COLLATE "C" NOT NULL DEFAULT '',
    reached_event    text COLLATE "C" NOT NULL DEFAULT '',
    complete         boolean          NOT NULL DEFAULT false,
    CONSTRAINT partition_copies_pkey PRIMARY KEY (part)
);
COMMENT ON TABLE partition_copies IS
    'How far the bytes of unfinished events were copied out of a partition before it is dropped.';
COMMENT ON COLUMN partition_copies.part IS 'Name of the partition.';
COMMENT ON COLUMN partition_copies.reached_at IS 'received_at of the last intent that was copied.';
COMMENT ON COLUMN partition_copies.reached_provider IS 'Its provider.';
COMMENT ON COLUMN partition_copies.reached_event IS 'Its event id.';
COMMENT ON COLUMN partition_copies.complete IS 'True: the partition may be dropped.';

-- Weekly partitions, made ahead of time. The server may call this; it may not create tables itself.
CREATE FUNCTION make_delivery_partitions(from_time timestamptz, weeks integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    first timestamptz := date_trunc('week', from_time);
    made  integer := 0;
    part  text;
BEGIN
    FOR week IN 0 .. weeks - 1 LOOP
        part := 'webhook_deliveries_' || to_char(first + week * interval '1 week', 'IYYY"w"IW');
        CONTINUE WHEN to_regclass(format('pawl.%I', part)) IS NOT NULL;
        BEGIN
            EXECUTE format('CREATE TABLE pawl.%I PARTITION OF pawl.webhook_deliveries '
                           'FOR VALUES FROM (%L) TO (%L)',
                           part, first + week * interval '1 week',
                           first + (week + 1) * interval '1 week');
            made := made + 1;
        EXCEPTION
            WHEN duplicate_table THEN NULL;   -- another server made it first
            WHEN check_violation THEN NULL;   -- the default partition has rows of that week
        END;
    END LOOP;
    RETURN made;
END
$$;

-- One number for an effect key, the same in every database and version.
CREATE FUNCTION key_number(effect_key text) RETURNS numeric
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT ('x' || left(md5(effect_key), 15))::bit(60)::bigint::numeric
$$;

-- Those of `ids` that may go are deleted, the others are noted. What they posted stays, and so do
-- its keys. An event that something waits for, or that keeps a place in a stream, is not deleted:
-- whoever stands behind it would wait for ever.
CREATE FUNCTION purge_these(name text, till timestamptz, ids text[]) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    WITH gone AS (
        DELETE FROM pawl.webhook_intents i
        USING (SELECT DISTINCT id FROM unnest(ids) AS u (id)) AS w
        WHERE i.provider = name AND i.event_id = w.id
          AND i.status = 'done' AND i.received_at < till AND i.done_at < till
          AND NOT EXISTS (SELECT FROM pawl.sequence_waits s
                          WHERE s.provider = i.provider AND s.event_id = i.event_id)
          AND NOT EXISTS (SELECT FROM pawl.effect_waits e
                          WHERE e.provider = i.provider AND e.event_id = i.event_id)
        RETURNING i.event_id, i.outcome, i.effect_key
    ), over AS (
        DELETE FROM pawl.purge_retry f USING gone g
        WHERE f.provider = name AND f.event_id = g.event_id
    ), noted AS (
        INSERT INTO pawl.purge_retry (provider, event_id)
        SELECT i.provider, i.event_id
        FROM (SELECT DISTINCT id FROM unnest(ids) AS u (id)) AS w
        JOIN pawl.webhook_intents i ON i.provider = name AND i.event_id = w.id
        WHERE NOT EXISTS (SELECT FROM gone g WHERE g.event_id = i.event_id)
        ON CONFLICT DO NOTHING
    ), counted AS (
        SELECT count(*) AS events, count(t.id) AS posted,
               coalesce(sum(pawl.key_number(t.effect_key)), 0) AS keys
        FROM gone g
        LEFT JOIN pawl.transfers t ON t.effect_key = g.effect_key AND t.provider = name
         AND t.event_id = g.event_id AND t.payment_id IS NULL
         AND g.outcome IN ('applied', 'applied_late')
    )
    UPDATE pawl.purged_intents f
    SET before = greatest(f.before, till), forgotten = f.forgotten + c.events,
        posted = f.posted + c.posted, posted_keys = f.posted_keys + c.keys
    FROM counted c
    WHERE f.provider = name AND c.events > 0
$$;

-- Forgets final events of one provider that are older than `kept`, which is never less than twice
-- as long as the provider delivers again, nor than two days. Goes over the rows by time, so many at
-- once, and on from where it was: what it has passed is not read again, but for the few in
-- `purge_retry`. True: there is more to look at.
CREATE FUNCTION purge_intents(name text, kept interval, redelivered interval,
                                    looked_at integer)
RETURNS boolean
LANGUAGE plpgsql STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
DECLARE
    till  timestamptz := clock_timestamp() - greatest(kept, 2 * redelivered, interval '2 days');
    place pawl.purged_intents;
    step  record;
    late  text[] := '{}';
BEGIN
    INSERT INTO pawl.purged_intents (provider) VALUES (name) ON CONFLICT DO NOTHING;
    SELECT * INTO place FROM pawl.purged_intents f WHERE f.provider = name FOR UPDATE;
    SELECT count(*) AS seen, array_agg(c.event_id) FILTER (WHERE c.provider = name) AS ids,
           array_agg(c.received_at) AS times, array_agg(c.provider) AS providers,
           array_agg(c.event_id) AS events
    INTO step
    FROM (SELECT i.received_at, i.provider, i.event_id
          FROM pawl.webhook_intents i
          WHERE (i.received_at, i.provider, i.event_id)
                > (place.reached_at, place.reached_provider, place.reached_event)
            AND i.received_at < till
          ORDER BY i.received_at, i.provider, i.event_id
          LIMIT looked_at) AS c;
    IF step.seen > 0 THEN
        UPDATE pawl.purged_intents f
        SET reached_at = step.times[step.seen], reached_provider = step.providers[step.seen],
            reached_event = step.events[step.seen]
        WHERE f.provider = name;
    END IF;
    IF step.seen < looked_at THEN
        late := ARRAY (SELECT l.event_id FROM pawl.purge_retry l
                       WHERE l.provider = name AND l.event_id > place.reached_later
                       ORDER BY l.event_id
                       LIMIT looked_at);
        UPDATE pawl.purged_intents f
        SET reached_later = CASE WHEN cardinality(late) < looked_at THEN ''
                                 ELSE late[looked_at] END
        WHERE f.provider = name;
    END IF;
    PERFORM pawl.purge_these(name, till, coalesce(step.ids, '{}') || late);
    RETURN step.seen = looked_at OR cardinality(late) = looked_at;
END
$$;

-- Partitions that ended so long ago, the oldest first; a day is the floor. One without an end that
-- is a time is not ours to drop.
CREATE FUNCTION expired_deliveries(kept interval)
RETURNS TABLE (part text, starts timestamptz, ends timestamptz)
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
    SELECT c.relname::text, coalesce(bound.starts, '-infinity'), bound.ends
    FROM pg_inherits h
    JOIN pg_class p ON p.oid = h.inhparent
    JOIN pg_class c ON c.oid = h.inhrelid AND c.relkind = 'r'
     AND c.relnamespace = p.relnamespace AND length(c.relname) < 58
    CROSS JOIN LATERAL (
        SELECT (regexp_match(said, 'FROM [(]''([^'']+)''[)]'))[1]::timestamptz AS starts,
               (regexp_match(said, 'TO [(]''([^'']+)''[)]'))[1]::timestamptz AS ends
        FROM pg_get_expr(c.relpartbound, c.oid) AS said) AS bound
    WHERE h.inhparent = 'pawl.webhook_deliveries'::regclass
      AND bound.ends <= clock_timestamp() - greatest(kept, interval '1 day')
    ORDER BY bound.ends, c.relname
$$;

-- Tables that are named at run time are named with their schema: a temporary one of the caller is
-- found where no other is.

-- Copies what unfinished events need out of one partition, so many events at once, each call a
-- transaction of its own; into a table that will take the partition's place. Nobody who receives
-- waits for it. True: there is more.
CREATE FUNCTION keep_deliveries(name text, kept interval, looked_at integer)
RETURNS boolean
LANGUAGE plpgsql STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC'
SET lock_timeout = '300ms' SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_sort = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    expired record;
    whole   text := format('pawl.%I', name);
    twin    text := format('pawl.%I', name || '_kept');
    place   pawl.partition_copies;
    step    record;
BEGIN
    SELECT * INTO expired FROM pawl.expired_deliveries(kept) e WHERE e.part = name;
    IF NOT FOUND OR right(name, 5) = '_kept' THEN
        RETURN false;
    END IF;
    INSERT INTO pawl.partition_copies (part) VALUES (name) ON CONFLICT DO NOTHING;
    SELECT * INTO place FROM pawl.partition_copies m WHERE m.part = name FOR UPDATE;
    IF place.complete THEN
        RETURN false;
    END IF;
    IF to_regclass(twin) IS NULL THEN
        EXECUTE format('CREATE TABLE %s (LIKE pawl.webhook_deliveries INCLUDING ALL '
                       'EXCLUDING IDENTITY)', twin);
    END IF;
    SELECT count(*) AS seen, array_agg(c.received_at) AS times,
           array_agg(c.provider) AS providers, array_agg(c.event_id) AS events
    INTO step
    FROM (SELECT i.received_at, i.provider, i.event_id
          FROM pawl.webhook_intents i
          WHERE i.status <> 'done'
            AND (i.received_at, i.provider, i.event_id)
                > (place.reached_at, place.reached_provider, place.reached_event)
            AND i.received_at < expired.ends
          ORDER BY i.received_at, i.provider, i.event_id
          LIMIT looked_at) AS c;
    IF step.seen = 0 THEN
        UPDATE pawl.partition_copies m SET complete = true WHERE m.part = name;
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
    UPDATE pawl.partition_copies m
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
CREATE FUNCTION drop_delivery_partition(name text, kept interval) RETURNS text
LANGUAGE plpgsql STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC'
SET lock_timeout = '300ms' SET enable_seqscan = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
DECLARE
    expired record;
    whole   text := format('pawl.%I', name);
    twin    text := format('pawl.%I', name || '_kept');
    bound   text;
    inside  text;
    missing boolean;
    needed  boolean := false;
BEGIN
    SELECT * INTO expired FROM pawl.expired_deliveries(kept) e WHERE e.part = name;
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
        PERFORM 1 FROM pawl.partition_copies m WHERE m.part = name AND m.complete FOR UPDATE;
        IF NOT FOUND THEN
            RETURN NULL;
        END IF;
        EXECUTE format('SELECT EXISTS (SELECT FROM %s)', twin) INTO needed;
        -- Nothing is: only a clock that was far behind could have written here meanwhile.
        EXECUTE format(
            'SELECT EXISTS (SELECT FROM pawl.webhook_intents i'
            ' JOIN %1$s d ON d.provider = i.provider AND d.received_at = i.received_at'
            '  AND d.event_id IN (i.event_id,'
            '                     regexp_replace(i.event_id, ''~[0-9a-f]{16}$'', ''''))'
            ' WHERE i.status <> ''done'' AND i.received_at >= $1 AND i.received_at < $2'
            '   AND NOT EXISTS (SELECT FROM %2$s k WHERE k.provider = d.provider'
            '                   AND k.event_id = d.event_id AND k.delivery_id = d.delivery_id))',
            whole, twin) INTO missing USING expired.starts, expired.ends;
        IF missing THEN
            DELETE FROM pawl.partition_copies m WHERE m.part = name;
            RETURN 'begun again';
        END IF;
    END IF;
    IF needed AND pg_relation_size('pawl.webhook_deliveries_default') > 64 * 1024 * 1024 THEN
        RETURN 'the default partition is too large';
    END IF;
    SELECT pg_get_expr(c.relpartbound, c.oid), pg_get_partition_constraintdef(c.oid)
    INTO bound, inside
    FROM pg_class c WHERE c.oid = whole::regclass;
    IF needed THEN
        EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I CHECK (%s)',
                       twin, name || '_time', inside);
    END IF;
    EXECUTE format('ALTER TABLE pawl.webhook_deliveries DETACH PARTITION %s', whole);
    EXECUTE format('DROP TABLE %s', whole);
    IF needed THEN
        EXECUTE format('ALTER TABLE pawl.webhook_deliveries ATTACH PARTITION %s %s', twin, bound);
    ELSIF right(name, 5) <> '_kept' THEN
        EXECUTE format('DROP TABLE %s', twin);
    END IF;
    DELETE FROM pawl.partition_copies m WHERE m.part = name;
    RETURN 'dropped';
END
$$;

-- Where bytes are that no dropping takes away.
CREATE FUNCTION kept_deliveries() RETURNS SETOF text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT c.relname::text
    FROM pg_inherits h
    JOIN pg_class p ON p.oid = h.inhparent
    JOIN pg_class c ON c.oid = h.inhrelid AND c.relkind = 'r' AND c.relnamespace = p.relnamespace
    WHERE h.inhparent = 'pawl.webhook_deliveries'::regclass
      AND (pg_get_expr(c.relpartbound, c.oid) = 'DEFAULT' OR right(c.relname, 5) = '_kept')
    ORDER BY c.relname
$$;

-- Deletes what is old there and belongs to no unfinished event, so many blocks of the table at
-- once. A row is needed by an event of its own id, or by one that came at the same moment: as
-- another item of the batch, or under an id that was taken. Answers with the block to go on from,
-- or with nothing at the end.
CREATE FUNCTION reap_kept_deliveries(name text, kept interval, from_block bigint,
                                          blocks integer)
RETURNS bigint
LANGUAGE plpgsql STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET lock_timeout = '300ms'
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    whole text        := format('pawl.%I', name);
    till  timestamptz := clock_timestamp() - greatest(kept, interval '1 day');
BEGIN
    IF NOT EXISTS (SELECT FROM pawl.kept_deliveries() k WHERE k = name) THEN
        RETURN NULL;
    END IF;
    EXECUTE format(
        'DELETE FROM %s d '
        'WHERE d.ctid >= $1 AND d.ctid < $2 AND d.received_at < $3'
        '  AND NOT EXISTS (SELECT FROM pawl.webhook_intents i WHERE i.provider = d.provider'
        '                  AND i.event_id = d.event_id AND i.status <> ''done'')'
        '  AND NOT EXISTS (SELECT FROM pawl.webhook_intents i WHERE i.received_at = d.received_at'
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
CREATE FUNCTION analyze_deliveries() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    ANALYZE pawl.webhook_deliveries;
END
$$;
