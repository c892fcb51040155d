-- Functions of the owner that make and drop partitions, and purge. The server can neither drop a
-- table nor delete an intent: these functions do, by the database's clock and each with a floor of
-- its own. They have a search_path of their own and name every table with its schema, so that
-- their caller cannot substitute one.
SET LOCAL ROLE pawl_owner;
SET LOCAL search_path = pawl, pg_temp;

CREATE TABLE purged_intents (
    provider text COLLATE "C" NOT NULL,
    before   timestamptz      NOT NULL,
    purged   bigint           NOT NULL,
    CONSTRAINT purged_intents_pkey PRIMARY KEY (provider)
);
COMMENT ON TABLE purged_intents IS
    'What was purged of each provider''s intents: only finished ones that moved no money.';
COMMENT ON COLUMN purged_intents.provider IS 'Name of the provider.';
COMMENT ON COLUMN purged_intents.before IS 'Intents received before this may have been purged.';
COMMENT ON COLUMN purged_intents.purged IS 'Number of intents that were purged.';

-- The width of a partition, for each table that these functions may make and drop partitions of.
CREATE FUNCTION partition_width(parent text) RETURNS interval
LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE parent WHEN 'delivery_blocks' THEN interval '1 week'
                       WHEN 'rejections' THEN interval '1 day'
                       WHEN 'jobs_done' THEN interval '1 day' END
$$;

-- Makes the first that is missing of `count` partitions from the one that `from_time` is in; false:
-- none is, or the time is long past. Only an owner makes partitions of the past, which the server
-- could fill, and have dropped the next day. One at a time: it locks the default partition, and
-- others must not wait for dozens. Rows are only inserted: vacuum them by number, and not by share.
CREATE FUNCTION make_partition(parent text, from_time timestamptz, count integer) RETURNS boolean
LANGUAGE plpgsql STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC' AS $$
DECLARE
    width constant interval := pawl.partition_width(parent);
    first constant timestamptz := date_trunc(
        CASE WHEN width = interval '1 day' THEN 'day' ELSE 'week' END, from_time);
    part  text;
BEGIN
    IF width IS NULL
       OR (from_time < clock_timestamp() - interval '8 days'
           AND NOT pg_has_role(session_user, 'pawl_owner', 'MEMBER')) THEN
        RETURN false;
    END IF;
    FOR n IN 0 .. count - 1 LOOP
        part := parent || '_' || to_char(first + n * width, 'YYYYMMDD');
        CONTINUE WHEN to_regclass(format('pawl.%I', part)) IS NOT NULL;
        BEGIN
            EXECUTE format('CREATE TABLE pawl.%I PARTITION OF pawl.%I FOR VALUES FROM (%L) TO (%L) '
                           'WITH (autovacuum_vacuum_insert_scale_factor = 0, '
                           'autovacuum_vacuum_insert_threshold = 1000000)',
                           part, parent, first + n * width, first + (n + 1) * width);
            RETURN true;
        EXCEPTION
            WHEN duplicate_table THEN NULL;   -- another server made it first
            WHEN check_violation THEN NULL;   -- the default partition has rows of that time
        END;
    END LOOP;
    RETURN false;
END
$$;

-- Drops the oldest partition that ended at least `kept` ago, a day being the floor; then deletes up
-- to 10,000 rows of that age from the default partition. Returns true if more may remain. A
-- partition without an end that is a time is not Pawl's, and stays. No byte that is needed is in
-- one: open_deliveries has a copy.
CREATE FUNCTION drop_partition(parent text, kept interval) RETURNS boolean
LANGUAGE plpgsql STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC' SET lock_timeout = '300ms' AS $$
DECLARE
    till constant timestamptz := clock_timestamp() - greatest(kept, interval '1 day');
    part regclass;
    gone integer;
BEGIN
    IF pawl.partition_width(parent) IS NULL THEN
        RETURN false;
    END IF;
    SELECT c.oid::regclass INTO part
    FROM pg_inherits h
    JOIN pg_class c ON c.oid = h.inhrelid AND c.relkind = 'r'
     AND c.relnamespace = 'pawl'::regnamespace
    CROSS JOIN LATERAL (
        SELECT (regexp_match(pg_get_expr(c.relpartbound, c.oid),
                             'TO [(]''([^'']+)''[)]'))[1]::timestamptz AS ends) AS bound
    WHERE h.inhparent = format('pawl.%I', parent)::regclass AND bound.ends <= till
    ORDER BY bound.ends
    LIMIT 1;
    IF part IS NOT NULL THEN
        EXECUTE format('DROP TABLE %s', part);
        RETURN true;
    END IF;
    EXECUTE format('DELETE FROM %1$s WHERE ctid = ANY (ARRAY ('
                   'SELECT ctid FROM %1$s WHERE %2$I < $1 LIMIT 10000))',
                   format('pawl.%I', parent || '_default'),
                   CASE parent WHEN 'jobs_done' THEN 'done_at' ELSE 'received_at' END) USING till;
    GET DIAGNOSTICS gone = ROW_COUNT;
    RETURN gone = 10000;
END
$$;

-- Deletes copies that no event needs any more, of `looked_at` deliveries from `after` on. Answers
-- with the last of them, or with null at the end.
CREATE FUNCTION reap_open_deliveries(after bigint, looked_at integer) RETURNS bigint
LANGUAGE plpgsql STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    ids constant bigint[] := ARRAY (
        SELECT o.delivery_id FROM pawl.open_deliveries o WHERE o.delivery_id > after
        ORDER BY o.delivery_id LIMIT looked_at);
BEGIN
    DELETE FROM pawl.open_deliveries o
    WHERE o.delivery_id = ANY (ids)
      AND NOT EXISTS (SELECT FROM pawl.webhook_intents i
                      WHERE i.delivery_id = o.delivery_id
                        AND (i.status <> 'done' OR i.note = 'nothing_to_return'))
      AND NOT EXISTS (SELECT FROM pawl.redeliveries r
                      JOIN pawl.webhook_intents i USING (segment, provider, event_id)
                      WHERE r.delivery_id = o.delivery_id
                        AND (i.status <> 'done' OR i.note = 'nothing_to_return'));
    RETURN CASE WHEN cardinality(ids) = looked_at THEN ids[looked_at] END;
END
$$;

-- Purges finished events of one provider that moved no money and are older than `kept`, which is
-- never less than twice the time in which the provider redelivers, nor than two days; at most
-- `limit_to`, and answers with how many. Not one that holds a place in a sequence: the events
-- behind it would wait forever.
CREATE FUNCTION purge_intents(name text, kept interval, redelivered interval, limit_to integer)
RETURNS integer
LANGUAGE plpgsql STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    till constant timestamptz :=
        clock_timestamp() - greatest(kept, 2 * redelivered, interval '2 days');
    gone text[];
BEGIN
    WITH old AS MATERIALIZED (
        SELECT i.ctid AS place
        FROM pawl.webhook_intents i
        WHERE i.provider = name AND i.received_at < till AND i.done_at < till
          AND i.outcome IN ('duplicate_effect', 'stale', 'ignored', 'started')
          AND i.note IS DISTINCT FROM 'nothing_to_return'
          AND NOT EXISTS (SELECT FROM pawl.sequence_waits s
                          WHERE s.provider = i.provider AND s.event_id = i.event_id)
        ORDER BY i.received_at
        LIMIT limit_to
        FOR UPDATE SKIP LOCKED
    ), purged AS (
        DELETE FROM pawl.webhook_intents i USING old WHERE i.ctid = old.place
        RETURNING i.event_id
    )
    SELECT coalesce(array_agg(event_id), '{}') INTO gone FROM purged;
    IF gone = '{}' THEN
        RETURN 0;
    END IF;
    DELETE FROM pawl.redeliveries r WHERE r.provider = name AND r.event_id = ANY (gone);
    INSERT INTO pawl.purged_intents AS p (provider, before, purged)
    VALUES (name, till, cardinality(gone))
    ON CONFLICT (provider) DO UPDATE
    SET before = greatest(p.before, excluded.before), purged = p.purged + excluded.purged;
    RETURN cardinality(gone);
END
$$;

-- Autovacuum does not keep the statistics of a partitioned table's parent.
CREATE FUNCTION analyze_partitioned() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    ANALYZE pawl.delivery_blocks, pawl.rejections, pawl.jobs_done;
END
$$;
