-- Events whose turn has come or has passed, and that were too many for one transaction. Found one
-- by one, by key, and written by their places, as in wake_effect_waiters.sql.
-- takes books text[], scope text[], now timestamptz
UPDATE webhook_intents SET wake_at = :now
WHERE status = 'parked' AND ctid = ANY (ARRAY (
    SELECT known.place
    FROM unnest(:books, :scope) AS wanted (books, scope)
    CROSS JOIN LATERAL (
        SELECT own.last FROM sequences own
        WHERE own.books = wanted.books AND own.scope = wanted.scope
        LIMIT 1) AS s
    CROSS JOIN LATERAL (
        SELECT own.segment, own.provider, own.event_id FROM sequence_waits own
        WHERE own.books = wanted.books AND own.scope = wanted.scope
          AND own.sequence <= CASE WHEN s.last < 9223372036854775807 THEN s.last + 1
                                   ELSE s.last END
          AND NOT own.passed
        ORDER BY own.sequence, own.provider, own.event_id
        LIMIT 1000) AS w
    CROSS JOIN LATERAL (
        SELECT own.ctid AS place FROM webhook_intents own
        WHERE own.segment = w.segment AND own.provider = w.provider
          AND own.event_id = w.event_id
        LIMIT 1) AS known))
