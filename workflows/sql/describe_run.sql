-- Everything about one run, as one JSON object; timestamps as PostgreSQL writes them in JSON.
-- takes run_id bigint
-- gives described json
SELECT json_build_object(
    'run_id', run.run_id, 'workflow', run.workflow, 'key', run.key,
    'signal_key', run.signal_key, 'lane', run.lane, 'step', run.step, 'status', run.status,
    'note', run.note, 'state', run.state, 'wake_at', run.wake_at, 'lease', run.lease,
    'locked_until', run.locked_until, 'attempts', run.attempts,
    'correlation_id', run.correlation_id, 'created_at', run.created_at, 'done_at', run.done_at,
    'steps', (SELECT coalesce(json_agg(json_build_object(
                  'at', s.at, 'step', s.step, 'went_to', s.went_to, 'note', s.note,
                  'lease', s.lease) ORDER BY s.at), '[]')
              FROM workflow_steps s WHERE s.run_id = run.run_id),
    'calls', (SELECT coalesce(json_agg(json_build_object(
                  'key', c.key, 'key_sent', c.key_sent, 'gateway', c.gateway,
                  'operation', c.operation, 'method', c.method, 'path', c.path,
                  'outcome', c.outcome, 'in_doubt', c.in_doubt, 'sends', c.sends,
                  'lookups', c.lookups, 'not_found', c.not_found,
                  'unanswered', c.unanswered, 'first_sent_at', c.first_sent_at,
                  'last_sent_at', c.last_sent_at, 'http_status', c.http_status,
                  'reference', c.reference, 'moved', c.moved, 'currency', c.currency,
                  'note', c.note) ORDER BY c.created_at), '[]')
              FROM external_calls c WHERE c.run_id = run.run_id),
    'signals', (SELECT coalesce(json_agg(json_build_object(
                    'type', g.type, 'provider', g.provider, 'event_id', g.event_id,
                    'reference', g.reference, 'amount', g.amount, 'received_at', g.received_at,
                    'taken_at', g.taken_at) ORDER BY g.signal_id), '[]')
                FROM workflow_signals g WHERE g.signal_key = run.signal_key),
    'payment', (SELECT json_build_object(
                    'payment_id', p.payment_id, 'order', p.order_id, 'attempt', p.attempt,
                    'state', p.state, 'note', p.note, 'amount', p.amount,
                    'currency', p.currency, 'account', p.account, 'reference', p.reference,
                    'captured', p.captured, 'overpaid', p.overpaid)
                FROM payments p WHERE p.key = run.signal_key),
    'capture', (SELECT json_build_object(
                    'capture_id', c.capture_id, 'payment_id', c.payment_id, 'n', c.n,
                    'state', c.state, 'note', c.note, 'amount', c.amount, 'final', c.final,
                    'reference', c.reference)
                FROM captures c WHERE c.key = run.signal_key),
    'refund', (SELECT json_build_object(
                   'refund_id', r.refund_id, 'payment_id', r.payment_id, 'state', r.state,
                   'note', r.note, 'amount', r.amount, 'currency', r.currency,
                   'reference', r.reference)
               FROM refunds r WHERE r.key = run.signal_key)) AS described
FROM workflow_runs run
WHERE run.run_id = :run_id
