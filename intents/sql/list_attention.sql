-- The causes that need operator action, oldest first. :gateways and :subscribers are the
-- configured names, unless :unknown. Rows of one cause are one, with their number and the oldest of
-- them as `example`. The page begins after the item of :after_since, :after_kind, :after_scope and
-- :after_tie, if any.
-- takes now timestamptz, gateways text[], subscribers text[], unknown boolean,
--       from_since timestamptz null, to_since timestamptz null, after_since timestamptz null,
--       after_kind text null, after_scope text null, after_tie text null, limit_rows bigint
-- gives kind text, scope text, reason text null, type text null, example text, counted bigint,
--       since timestamptz, tie text
SELECT kind, scope, reason, type, example, counted, since, tie
FROM (
SELECT kind COLLATE "C" AS kind, scope COLLATE "C" AS scope, reason, type, example, counted, since,
       md5(concat_ws(' ', reason, type, example)) COLLATE "C" AS tie
FROM (
    SELECT 'quarantined' AS kind, provider AS scope, note AS reason, event_type AS type,
           (array_agg(event_id ORDER BY received_at, event_id))[1] AS example,
           count(*) AS counted, min(received_at) AS since
    FROM webhook_intents
    WHERE status = 'quarantined' AND status <> 'done'
    GROUP BY provider, note, event_type
    UNION ALL
    SELECT 'paused', p.provider, p.reason, NULL,
           coalesce((array_agg(i.event_id ORDER BY i.received_at, i.event_id))[1], ''),
           count(i.event_id), p.paused_at
    FROM provider_pauses p
    LEFT JOIN webhook_intents i ON i.provider = p.provider AND i.status = 'pending'
    GROUP BY p.provider, p.reason, p.paused_at
    UNION ALL
    SELECT 'recovery', 'database', reason, NULL, '', 1, began_at
    FROM recoveries
    WHERE ended_at IS NULL
    UNION ALL
    -- A lower total without a number: nothing shows whether the provider took the money back.
    SELECT 'stale', provider, note, event_type,
           (array_agg(event_id ORDER BY received_at, event_id))[1], count(*), min(received_at)
    FROM webhook_intents
    WHERE outcome = 'stale' AND note = 'total_fell'
    GROUP BY provider, note, event_type
    UNION ALL
    -- The sweeper quarantines it after needs_deadline.
    SELECT 'parked', i.provider, i.note, i.event_type,
           (array_agg(i.event_id ORDER BY w.since, i.event_id))[1], count(*), min(w.since)
    FROM effect_waits w
    JOIN webhook_intents i ON i.segment = w.segment AND i.provider = w.provider
                          AND i.event_id = w.event_id
    WHERE i.status = 'parked' AND w.since <= :now - (i.plan ->> 'needs_deadline_us')::bigint / 2
                                                  * interval '1 microsecond'
      AND i.provider NOT IN (SELECT provider FROM provider_pauses)
    GROUP BY i.provider, i.note, i.event_type
    UNION ALL
    SELECT 'gap', q.books || ' ' || q.scope, 'after ' || coalesce(q.last::text, 'nothing'), NULL,
           (array_agg(w.provider || '/' || w.event_id ORDER BY w.sequence))[1], count(*),
           q.gap_since
    FROM sequences q
    JOIN sequence_waits w ON w.books = q.books AND w.scope = q.scope
    JOIN webhook_intents i ON i.segment = w.segment AND i.provider = w.provider
                          AND i.event_id = w.event_id
    WHERE NOT w.passed AND i.status = 'parked'
      AND q.gap_since <= :now - coalesce(
              (i.plan ->> 'gap_deadline_us')::bigint, 0) * interval '1 microsecond'
    GROUP BY q.books, q.scope, q.last, q.gap_since
    UNION ALL
    SELECT 'needs_review', workflow, note, NULL,
           (array_agg(run_id::text ORDER BY updated_at, run_id))[1], count(*), min(updated_at)
    FROM workflow_runs
    WHERE status = 'needs_review'
    GROUP BY workflow, note
    UNION ALL
    SELECT 'forced', gateway, note, NULL, (array_agg(key ORDER BY forced_at, key))[1], count(*),
           min(forced_at)
    FROM external_calls
    WHERE forced_at IS NOT NULL
    GROUP BY gateway, note
    UNION ALL
    -- More than the order asks for was captured and has not gone back, whatever its state is.
    SELECT 'overpaid', coalesce(gateway, ''), 'order overpaid', NULL,
           (array_agg(order_id ORDER BY updated_at, order_id))[1], count(*), min(updated_at)
    FROM orders
    WHERE captured - returned > amount
    GROUP BY gateway
    UNION ALL
    -- A payment whose run is listed above is left out.
    SELECT 'payment', p.gateway, coalesce(p.note, p.state), NULL,
           (array_agg(p.payment_id ORDER BY p.updated_at, p.payment_id))[1], count(*),
           min(p.updated_at)
    FROM payments p
    WHERE p.state = 'needs_review'
      AND NOT EXISTS (SELECT FROM workflow_runs r
                      WHERE r.signal_key = p.key AND r.status = 'needs_review')
    GROUP BY p.gateway, coalesce(p.note, p.state)
    UNION ALL
    -- An authorization that expires within a day.
    SELECT 'authorization', p.gateway, 'authorization expires', NULL,
           (array_agg(p.payment_id ORDER BY p.capture_before, p.payment_id))[1], count(*),
           min(p.capture_before) - interval '1 day'
    FROM payments p
    WHERE p.capturable > 0 AND p.capture_before <= :now + interval '1 day'
    GROUP BY p.gateway
    UNION ALL
    SELECT 'gateway_gone', p.gateway, 'gateway not configured', NULL,
           (array_agg(p.payment_id ORDER BY p.updated_at, p.payment_id))[1], count(*),
           min(p.updated_at)
    FROM payments p
    WHERE (p.state IN ('created', 'calling', 'unknown', 'requires_action', 'processing',
                       'authorized') OR p.capturable > 0)
      AND NOT :unknown AND p.gateway <> ALL (:gateways)
    GROUP BY p.gateway
    UNION ALL
    SELECT 'dead_jobs', concat_ws(' ', kind, nullif(target, '')),
           (array_agg(last_error ORDER BY done_at))[1], NULL,
           (array_agg(concat_ws('.', id::text, nullif(target, '')) ORDER BY done_at, id))[1],
           count(*), min(done_at)
    FROM jobs
    WHERE state = 'dead'
    GROUP BY kind, target
    UNION ALL
    -- A subscriber that has taken nothing for an hour, or is no longer configured.
    SELECT 'dead_subscriber', target,
           CASE WHEN NOT :unknown AND target <> ALL (:subscribers) THEN 'subscriber not configured'
                ELSE (array_agg(last_error ORDER BY id))[1] END, NULL,
           (array_agg(id::text || '.' || target ORDER BY id))[1], count(*), min(staged_at)
    FROM jobs
    WHERE state = 'ready' AND target <> ''
      AND (NOT :unknown AND target <> ALL (:subscribers)
           OR (attempts > 0 AND staged_at < :now - interval '1 hour'))
    GROUP BY target
) AS causes
) AS everything
WHERE (:from_since IS NULL OR since >= :from_since)
  AND (:to_since IS NULL OR since < :to_since)
  AND (:after_since IS NULL
       OR (since, kind, scope, tie) > (:after_since, :after_kind, :after_scope, :after_tie))
ORDER BY since, kind, scope, tie
LIMIT :limit_rows
