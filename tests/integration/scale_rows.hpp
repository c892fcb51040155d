// Rows for every table that grows: what is over, and what waits to be done. {first} and {last} are
// the numbers of the rows; each statement makes one row a number, or a few.
#pragma once

namespace pawl::testing {

inline constexpr const char* rows_that_are_over = R"(
INSERT INTO webhook_intents (segment, provider, event_id, event_type, status, outcome, body_sha256,
    fingerprint, account, object, effect_key, amount, currency, correlation_id, received_at,
    done_at)
SELECT 1, 'demo', 'done' || n, 'payment.captured', 'done', 'applied', '\x00', '\xff', 'user:' || n %
    1000, 'pay' || n, 'demo/capture/' || n, 1, 'USD', 'c' || n, now() - interval '1 day' + n *
    interval '1 millisecond', now()
FROM generate_series({first}, {last}) n;
INSERT INTO delivery_blocks (received_at, deliveries, raw)
SELECT now() - interval '1 day' + n * interval '1 millisecond', 1, '\x01'
FROM generate_series({first}, {last}) n;
INSERT INTO redeliveries
SELECT 'demo', 'done' || n, 1, '\x01', n, 0, 2
FROM generate_series({first}, {last}) n;
INSERT INTO transfers (effect_key, payment_key, debit_account, credit_account, currency, amount,
    provider, event_id, posted_at)
SELECT 'demo/capture/' || n, 'demo/capture/' || n, 'demo:clearing', 'user:' || n % 1000, 'USD', 1,
    'demo', 'done' || n, now()
FROM generate_series({first}, {last}) n;
INSERT INTO balances (account, currency, amount)
SELECT 'user:' || n, 'USD', 1
FROM generate_series({first}, {last}) n;
INSERT INTO sequences (books, scope, last)
SELECT 'demo', 'account:' || n, 1
FROM generate_series({first}, {last}) n;
INSERT INTO running_totals (effect_key, account, currency, total)
SELECT 'demo/capture/t' || n, 'user:1', 'USD', 1
FROM generate_series({first}, {last}) n;
INSERT INTO jobs_done (id, kind, target, payload, correlation_id, state, run_at, staged_at, done_at,
    lease, attempts)
SELECT n, 'notify', 'shop', '{}', 'c' || n, 'done', now(), now() - interval '1 hour', now(), 1, 1
FROM generate_series({first}, {last}) n;
INSERT INTO orders (order_id, amount, currency, account, gateway, created_at, updated_at)
SELECT 'o' || n, 1, 'USD', 'user:1', 'sandbox', now(), now()
FROM generate_series({first}, {last}) n;
INSERT INTO payments (payment_id, order_id, attempt, key, gateway, books, state, amount,
    currency, account, correlation_id, created_at, updated_at)
SELECT 'p' || n, 'o' || n, 1, 'pay:o' || n || ':1', 'sandbox', 'sandbox', 'succeeded', 1, 'USD',
    'user:1', 'c', now(), now()
FROM generate_series({first}, {last}) n;
INSERT INTO captures (capture_id, payment_id, n, key, state, amount, final, correlation_id,
    created_at, updated_at)
SELECT 'cap' || n, 'p' || n, 1, 'capture:o' || n || ':1:1', 'succeeded', 1, true, 'c', now(), now()
FROM generate_series({first}, {last}) n;
INSERT INTO refunds (refund_id, payment_id, order_id, n, key, state, amount, currency,
    correlation_id, created_at, updated_at)
SELECT 'r' || n, 'p' || n, 'o' || n, 1, 'refund:o' || n || ':1', 'succeeded', 1, 'USD', 'c',
    now(), now()
FROM generate_series({first}, {last}) n;
INSERT INTO workflow_runs (workflow, key, signal_key, lane, step, status, wake_at,
    correlation_id, created_at, updated_at, done_at)
SELECT 'charge_order', 'done' || n, 'pay:o' || n || ':1', 'sandbox', 'end', 'done', NULL, 'c' ||
    n, now(), now(), now()
FROM generate_series({first}, {last}) n;
INSERT INTO workflow_steps (run_id, lease, step, went_to, at)
SELECT n, 1, 'a', 'b', now()
FROM generate_series({first}, {last}) n;
INSERT INTO workflow_signals (signal_key, type, provider, event_id, received_at, taken_at)
SELECT 'pay:o' || n || ':1', 't', 'demo', 'done' || n, now(), now()
FROM generate_series({first}, {last}) n;
INSERT INTO external_calls (key, key_sent, gateway, operation, run_id, method, path,
    content_type, request, created_at)
SELECT 'pay:o' || n || ':1', 'k', 'sandbox', 'charge', n, 'POST', '/', 't', '', now()
FROM generate_series({first}, {last}) n;
INSERT INTO idempotency_keys (principal, route, key, fingerprint, subject, wait_until,
    created_at, answered_at, status, body, expires_at)
SELECT 'shop', 'POST /', 'done' || n, sha256('x'), 'p' || n, now(), now(), now(), 200, '', now()
    + interval '1 day'
FROM generate_series({first}, {last}) n;
INSERT INTO audit_log (principal, action, subject, reason)
SELECT 'p', 'a', 's' || n, 'r'
FROM generate_series({first}, {last}) n;
)";

inline constexpr const char* rows_that_wait = R"(
INSERT INTO webhook_intents (segment, provider, event_id, event_type, status, outcome, note,
    wake_at, plan, body_sha256, fingerprint, account, object, correlation_id, received_at,
    delivery_id)
SELECT 1, 'demo', 'wait' || n, 'refund', 'parked', 'parked', 'waiting for demo/capture/w' || n,
    now() - interval '1 hour' + n * interval '1 microsecond', '{"gap_deadline_us": 1}', '\x00',
    '\xff', 'user:' || n % 1000, 'pay' || n, 'c' || n, now() - interval '1 hour' + n * interval '1
    millisecond', n
FROM generate_series({first}, {last}) n;
INSERT INTO webhook_intents (segment, provider, event_id, event_type, status, outcome, note,
    body_sha256, fingerprint, correlation_id, received_at)
SELECT 1, 'demo', 'quarantined' || n, 'x', 'quarantined', 'quarantined', 'no_rule', '\x00', '\xff',
    'c' || n, now() - interval '1 hour' + n * interval '1 millisecond'
FROM generate_series({first}, {last}) n;
INSERT INTO effect_waits
SELECT 'demo/capture/w' || n, 'demo', 'wait' || n, 1, now()
FROM generate_series({first}, {last}) n;
INSERT INTO sequences (books, scope, last, gap_since)
SELECT 'waits', 'account:' || n, 1, now() - interval '1 hour'
FROM generate_series({first}, {last}) n WHERE n <= 10;
INSERT INTO sequence_waits
SELECT 'waits', 'account:' || n % 10 + 1, n + 2, 'demo', 'wait' || n, 1, false
FROM generate_series({first}, {last}) n;
INSERT INTO open_deliveries
SELECT n, now() - interval '1 hour', 'demo', 'POST', '/', '', '', '{}'
FROM generate_series({first}, {last}) n;
INSERT INTO rejections (received_at, provider, diagnosis, method, url, remote, headers, body)
SELECT now() - interval '1 hour' + n * interval '1 microsecond', 'demo', 'wrong_secret', 'POST',
    '/', '', '', '{}'
FROM generate_series({first}, {last}) n;
INSERT INTO staged_jobs (id, kind, payload, correlation_id, staged_at)
SELECT 100000000 + n, 'notify', '{"type": "credit.applied", "account": "user:1"}', 'c', now() -
    interval '1 hour' + n * interval '1 microsecond'
FROM generate_series({first}, {last}) n;
INSERT INTO jobs (id, kind, target, ordering_key, payload, correlation_id, state, run_at,
    staged_at, locked_until)
SELECT 10000000 + 3 * n + k, 'notify', 'shop', CASE WHEN k = 1 THEN 'user:' || n END, '{}', 'c',
    'ready', now() - interval '1 hour', now() - interval '1 hour', CASE WHEN k = 2 THEN now() -
    interval '1 minute' END
FROM generate_series({first}, {last}) n, generate_series(0, 2) k;
INSERT INTO jobs (id, kind, target, payload, correlation_id, state, run_at, staged_at, done_at,
    last_error)
SELECT 50000000 + n, 'notify', 'shop', '{}', 'c', 'dead', now(), now(), now(), 'why'
FROM generate_series({first}, {last}) n;
INSERT INTO jobs_done (id, kind, target, payload, correlation_id, state, run_at, staged_at, done_at,
    lease, attempts)
SELECT 60000000 + n, 'notify', 'shop', '{}', 'c', 'done', now(), now(), now() - interval '30
    days', 1, 1
FROM generate_series({first}, {last}) n;
INSERT INTO workflow_runs (workflow, key, signal_key, lane, step, status, wake_at, locked_until,
    correlation_id, created_at, updated_at)
SELECT 'charge_order', 'open' || n, 'pay:w' || n || ':1', 'sandbox', 'charge', 'running', now()
    + CASE WHEN n % 2 = 0 THEN interval '-1 hour' ELSE interval '1 hour' END + n * interval '1
    microsecond', NULL, 'c', now(), now()
FROM generate_series({first}, {last}) n;
INSERT INTO workflow_signals (signal_key, type, provider, event_id, received_at)
SELECT 'pay:w' || n || ':1', 't', 'demo', 'sig' || n, now()
FROM generate_series({first}, {last}) n;
INSERT INTO idempotency_keys (principal, route, key, fingerprint, subject, wait_until,
    created_at, answered_at, status, body, expires_at)
SELECT 'shop', 'POST /', 'old' || n, sha256('x'), 'p' || n, now(), now(), now(), 200, '', now()
    - interval '1 day'
FROM generate_series({first}, {last}) n;
)";

}  // namespace pawl::testing
