-- Events :first to :last of :rows, which came over the last thirty days. A random id has no order;
-- an ordered one begins with the time.
INSERT INTO segments (segment, opened_at, rows_before)
VALUES (:segment, now() - interval '30 days' * (:rows - :first) / :rows, 0)
ON CONFLICT (segment) DO NOTHING;
CREATE TEMPORARY TABLE bench_event AS
SELECT n, now() - interval '30 days' * ((:rows - n)::double precision / :rows) AS at,
       CASE :'ids' WHEN 'random' THEN substr(md5(n || 'event'), 1, 24)
                   ELSE lpad(to_hex(n), 10, '0') || substr(md5(n || 'event'), 1, 14) END AS id
FROM generate_series(:first::bigint, :last::bigint) AS n;
INSERT INTO webhook_intents (segment, received_at, done_at, provider, event_id, event_type, status,
                             outcome, body_sha256, fingerprint, account, effect_key, amount,
                             currency, correlation_id)
SELECT :segment, at, at, 'demo', 'evt_' || id, '', 'done', 'applied', '', '',
       'user:' || n % :accounts, 'demo-test/capture/pi_' || id, 1, 'USD', ''
FROM bench_event;
INSERT INTO transfers (effect_key, debit_account, credit_account, currency, amount, provider,
                       event_id, posted_at)
SELECT 'demo-test/capture/pi_' || id, 'demo-test:clearing', 'user:' || n % :accounts, 'USD', 1,
       'demo', 'evt_' || id, at
FROM bench_event;
INSERT INTO balances AS b (account, currency, amount)
SELECT 'user:' || n % :accounts, 'USD', count(*) FROM bench_event GROUP BY 1
ON CONFLICT (account, currency) DO UPDATE SET amount = b.amount + excluded.amount,
                                              version = b.version + 1;
