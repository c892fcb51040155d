-- The deliveries whose bytes were stored: the first of those with the same bytes.
-- takes provider text, event_id text
-- gives described text
WITH came AS (
    SELECT delivery_id, item_offset, item_length FROM webhook_intents
    WHERE segment = ANY (ARRAY (SELECT segment FROM segments)) AND provider = :provider
      AND event_id = :event_id
    UNION ALL
    SELECT delivery_id, item_offset, item_length FROM redeliveries
    WHERE provider = :provider AND event_id = :event_id)
SELECT jsonb_build_object(
    -- The remedy for an event that failed nowhere and moved no money.
    'remedy', CASE WHEN i.note = 'test_mode' THEN
        'this event is of test mode and live mode is served: to take test events, start with '
        'PAWL_MODE=test, or mode = "test" under [server] in pawl.toml, and send a new one; a '
        'database that holds live money needs a separate PAWL_DATA_DIR or PAWL_DATABASE_URL for '
        'that' END,
    'intent', to_jsonb(i)
              || jsonb_build_object('body_sha256', encode(i.body_sha256, 'hex'),
                                    'fingerprint', encode(i.fingerprint, 'hex')),
    'deliveries', (
        SELECT jsonb_agg(jsonb_build_object(
                   'delivery_id', came.delivery_id, 'received_at', d.received_at,
                   'remote', d.remote, 'url', d.url, 'item_offset', came.item_offset,
                   'body_bytes', came.item_length) ORDER BY came.delivery_id)
        FROM came LEFT JOIN LATERAL find_delivery(came.delivery_id) AS d ON true),
    'transfers', coalesce((
        SELECT jsonb_agg(to_jsonb(t) - 'chain_prev' - 'chain_hash' ORDER BY t.id)
        FROM transfers t
        WHERE key_hash(t.effect_key) = key_hash(i.effect_key) AND t.effect_key = i.effect_key),
        '[]'),
    'workflow', CASE WHEN run.run_id IS NOT NULL THEN jsonb_build_object(
        'run_id', run.run_id, 'workflow', run.workflow, 'key', run.key, 'step', run.step,
        'status', run.status, 'note', run.note, 'created_at', run.created_at,
        'done_at', run.done_at) END,
    'calls', coalesce((
        SELECT jsonb_agg(jsonb_build_object(
                   'key', c.key, 'gateway', c.gateway, 'operation', c.operation,
                   'outcome', c.outcome, 'sends', c.sends, 'reference', c.reference,
                   'first_sent_at', c.first_sent_at, 'decided_at', c.decided_at)
               ORDER BY c.created_at)
        FROM external_calls c WHERE c.run_id = run.run_id), '[]'),
    'jobs', coalesce((
        SELECT jsonb_agg(j.shown ORDER BY j.id)
        FROM (SELECT id, to_jsonb(s) || '{"state": "staged"}' AS shown
              FROM staged_jobs s WHERE s.correlation_id = i.correlation_id
              UNION ALL
              SELECT id, m.shown
              FROM (SELECT id, correlation_id, staged_at, to_jsonb(r) AS shown FROM jobs r
                    UNION ALL
                    SELECT id, correlation_id, staged_at, to_jsonb(d) FROM jobs_done d) AS m
              WHERE m.correlation_id = i.correlation_id
                -- Only there it is looked for (jobs_staged_at); a minute, because clocks differ.
                AND m.staged_at >= i.received_at - interval '1 minute'
                AND m.staged_at <= interval '1 minute' + CASE
                    WHEN run.run_id IS NULL THEN coalesce(i.done_at, now())
                    ELSE greatest(i.done_at, coalesce(run.done_at, now())) END
             ) AS j), '[]'),
    'timeline', (
        SELECT jsonb_agg(jsonb_build_object('at', at, 'what', what) ORDER BY at)
        FROM (SELECT coalesce(d.received_at, i.received_at) AS at, 'delivered' AS what
              FROM came LEFT JOIN LATERAL find_delivery(came.delivery_id) AS d ON true
              UNION ALL SELECT i.done_at, i.outcome WHERE i.done_at IS NOT NULL
              UNION ALL SELECT a.at, a.action FROM audit_log a
              WHERE a.subject = i.provider || '/' || i.event_id) AS steps))::text AS described
FROM webhook_intents i
-- The run that it signaled or started.
LEFT JOIN LATERAL (
    SELECT r.*
    FROM workflow_signals g
    JOIN workflow_runs r ON r.signal_key = g.signal_key
    WHERE g.event_id = i.event_id AND g.provider = i.provider
    UNION ALL
    SELECT r.*
    FROM workflow_runs r
    WHERE i.outcome = 'started' AND r.correlation_id = i.correlation_id
    LIMIT 1) AS run ON true
WHERE i.segment = ANY (ARRAY (SELECT segment FROM segments)) AND i.provider = :provider
  AND i.event_id = :event_id
ORDER BY i.segment
