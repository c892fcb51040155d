-- Which events may be forgotten, and by whom. The server may not delete one: a function does it for
-- it, by the database's clock and with a floor of its own.
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

-- What has been forgotten of a provider, and how far. Its transfers stay, without an event: of
-- those it says how many there must be, and a sum over their keys, so that no other can hide among
-- them.
CREATE TABLE forgotten_intents (
    provider         text        NOT NULL,
    before           timestamptz NOT NULL DEFAULT '-infinity',
    forgotten        bigint      NOT NULL DEFAULT 0,
    posted           bigint      NOT NULL DEFAULT 0,
    posted_keys      numeric     NOT NULL DEFAULT 0,
    reached_at       timestamptz NOT NULL DEFAULT '-infinity',  -- the last event looked at
    reached_provider text        NOT NULL DEFAULT '',
    reached_event    text        NOT NULL DEFAULT '',
    reached_later    text        NOT NULL DEFAULT '',           -- in forget_later
    CONSTRAINT forgotten_intents_pkey PRIMARY KEY (provider)
);
GRANT SELECT ON forgotten_intents TO pawl_runtime;

-- Old enough when they were looked at, and not finished, or not for long enough, or still named by
-- what waits: looked at again in every round, so that nothing else has to be.
CREATE TABLE forget_later (
    provider text NOT NULL,
    event_id text NOT NULL,
    CONSTRAINT forget_later_pkey PRIMARY KEY (provider, event_id)
);
GRANT SELECT ON forget_later TO pawl_runtime;

-- Only events that wait have rows here, so that these cost the others nothing.
CREATE INDEX sequence_waits_event ON sequence_waits (provider, event_id);
CREATE INDEX effect_waits_event ON effect_waits (provider, event_id);

-- One number for an effect key, the same in every database and version.
CREATE FUNCTION pawl_key_number(effect_key text) RETURNS numeric
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT ('x' || left(md5(effect_key), 15))::bit(60)::bigint::numeric
$$;

-- Those of `ids` that may go are deleted, the others are noted. What they posted stays, and so do
-- its keys. An event that something waits for, or that keeps a place in a stream, is not deleted:
-- whoever stands behind it would wait for ever.
CREATE FUNCTION pawl_forget_these(name text, till timestamptz, ids text[]) RETURNS void
LANGUAGE sql SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    WITH gone AS (
        DELETE FROM webhook_intents i
        USING (SELECT DISTINCT id FROM unnest(ids) AS u (id)) AS w
        WHERE i.provider = name AND i.event_id = w.id
          AND i.status = 'done' AND i.received_at < till AND i.done_at < till
          AND NOT EXISTS (SELECT FROM sequence_waits s
                          WHERE s.provider = i.provider AND s.event_id = i.event_id)
          AND NOT EXISTS (SELECT FROM effect_waits e
                          WHERE e.provider = i.provider AND e.event_id = i.event_id)
        RETURNING i.event_id, i.outcome, i.effect_key
    ), over AS (
        DELETE FROM forget_later f USING gone g
        WHERE f.provider = name AND f.event_id = g.event_id
    ), noted AS (
        INSERT INTO forget_later (provider, event_id)
        SELECT i.provider, i.event_id
        FROM (SELECT DISTINCT id FROM unnest(ids) AS u (id)) AS w
        JOIN webhook_intents i ON i.provider = name AND i.event_id = w.id
        WHERE NOT EXISTS (SELECT FROM gone g WHERE g.event_id = i.event_id)
        ON CONFLICT DO NOTHING
    ), counted AS (
        SELECT count(*) AS events, count(t.id) AS posted,
               coalesce(sum(pawl_key_number(t.effect_key)), 0) AS keys
        FROM gone g
        LEFT JOIN transfers t ON t.effect_key = g.effect_key AND t.provider = name
         AND t.event_id = g.event_id AND t.payment_id IS NULL
         AND g.outcome IN ('applied', 'applied_late')
    )
    UPDATE forgotten_intents f
    SET before = greatest(f.before, till), forgotten = f.forgotten + c.events,
        posted = f.posted + c.posted, posted_keys = f.posted_keys + c.keys
    FROM counted c
    WHERE f.provider = name AND c.events > 0
$$;

-- Forgets final events of one provider that are older than `kept`, which is never less than twice
-- as long as the provider delivers again, nor than two days. Goes over the rows by time, so many at
-- once, and on from where it was: what it has passed is not read again, but for the few in
-- `forget_later`. True: there is more to look at.
CREATE FUNCTION pawl_forget_intents(name text, kept interval, redelivered interval,
                                    looked_at integer)
RETURNS boolean
LANGUAGE plpgsql STRICT SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
DECLARE
    till  timestamptz := clock_timestamp() - greatest(kept, 2 * redelivered, interval '2 days');
    place forgotten_intents;
    step  record;
    late  text[] := '{}';
BEGIN
    INSERT INTO forgotten_intents (provider) VALUES (name) ON CONFLICT DO NOTHING;
    SELECT * INTO place FROM forgotten_intents f WHERE f.provider = name FOR UPDATE;
    SELECT count(*) AS seen, array_agg(c.event_id) FILTER (WHERE c.provider = name) AS ids,
           array_agg(c.received_at) AS times, array_agg(c.provider) AS providers,
           array_agg(c.event_id) AS events
    INTO step
    FROM (SELECT i.received_at, i.provider, i.event_id
          FROM webhook_intents i
          WHERE (i.received_at, i.provider, i.event_id)
                > (place.reached_at, place.reached_provider, place.reached_event)
            AND i.received_at < till
          ORDER BY i.received_at, i.provider, i.event_id
          LIMIT looked_at) AS c;
    IF step.seen > 0 THEN
        UPDATE forgotten_intents f
        SET reached_at = step.times[step.seen], reached_provider = step.providers[step.seen],
            reached_event = step.events[step.seen]
        WHERE f.provider = name;
    END IF;
    IF step.seen < looked_at THEN
        late := ARRAY (SELECT l.event_id FROM forget_later l
                       WHERE l.provider = name AND l.event_id > place.reached_later
                       ORDER BY l.event_id
                       LIMIT looked_at);
        UPDATE forgotten_intents f
        SET reached_later = CASE WHEN cardinality(late) < looked_at THEN ''
                                 ELSE late[looked_at] END
        WHERE f.provider = name;
    END IF;
    PERFORM pawl_forget_these(name, till, coalesce(step.ids, '{}') || late);
    RETURN step.seen = looked_at OR cardinality(late) = looked_at;
END
$$;

REVOKE EXECUTE ON FUNCTION pawl_forget_these(text, timestamptz, text[]) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION pawl_forget_intents(text, interval, interval, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pawl_forget_intents(text, interval, interval, integer) TO pawl_runtime;
