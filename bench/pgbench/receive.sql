-- One delivery, when the database does everything in one call: the rows and columns that Pawl
-- writes, after the same two questions (was this event seen, was this effect posted). Written to be
-- fast: no locks but those of the rows, and that of the balance as late as can be. The statements
-- after it need it: an event whose number is behind the account's is `applied_late`, and the intent
-- and the job say so.
CREATE OR REPLACE FUNCTION bench_receive(scattered text, account text, minor bigint) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    arrived  constant timestamptz := clock_timestamp();
    -- Increasing, as a provider's numbering does.
    numbered constant bigint := extract(epoch FROM arrived) * 1000000;
    -- The second, then what scatters within it.
    id       constant text := to_hex(numbered / 1000000) || scattered;
    event    constant text := 'evt_' || id;
    effect   constant text := 'demo-test/capture/pi_' || id;
    trace    constant text := gen_random_uuid();
    head     constant bytea := convert_to(
        E'Host: 127.0.0.1:8080\nUser-Agent: pawl-send/0.1.0\nContent-Type: application/json\n'
        || 'webhook-timestamp: 1767225600' || E'\nwebhook-id: ' || event
        || E'\nwebhook-signature: v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4='
        || E'\nContent-Length: 163\n', 'UTF8');
    payload  constant bytea := convert_to(
        '{"id":"' || event || '","type":"payment.captured","payment_id":"pi_' || id
        || '","account":"' || account || '","amount":' || minor
        || ',"currency":"USD","sequence":' || numbered || '}', 'UTF8');
    print    constant bytea := sha256(payload);
    -- Only the segment that takes new events is asked, as where a filter denies all the others.
    open_segment constant integer := (SELECT max(segment) FROM segments);
    block    bigint;
    known    bytea;
    result   text;
BEGIN
    SELECT i.fingerprint INTO known
    FROM webhook_intents i
    WHERE i.segment = open_segment AND i.provider = 'demo' AND i.event_id = event;
    IF FOUND THEN
        UPDATE webhook_intents i SET deliveries = i.deliveries + 1
        WHERE i.segment = open_segment AND i.provider = 'demo' AND i.event_id = event;
        RETURN CASE WHEN known = print THEN 'duplicate' ELSE 'id_conflict' END;
    END IF;
    PERFORM FROM transfers t WHERE key_hash(t.effect_key) = key_hash(effect);
    IF FOUND THEN RETURN 'duplicate_effect'; END IF;

    -- Framed as Pawl frames them; a transaction of one event has a block of one delivery.
    INSERT INTO delivery_blocks (received_at, deliveries, raw)
    VALUES (arrived, 1, '\x01'::bytea || int8send(numbered)
            || int4send(4) || 'demo'::bytea || int4send(4) || 'POST'::bytea
            || int4send(14) || '/webhooks/demo'::bytea || int4send(15) || '127.0.0.1:40000'::bytea
            || int4send(octet_length(head)) || head || int4send(octet_length(payload)) || payload)
    RETURNING block_id INTO block;
    INSERT INTO balances AS b (account, currency, amount, last_event_sequence, late_count)
    VALUES (bench_receive.account, 'USD', minor, numbered, 0)
    ON CONFLICT ON CONSTRAINT balances_pkey DO UPDATE
    SET amount = b.amount + excluded.amount,
        last_event_sequence = greatest(b.last_event_sequence, excluded.last_event_sequence),
        late_count = b.late_count
            + CASE WHEN excluded.last_event_sequence < b.last_event_sequence THEN 1 ELSE 0 END,
        version = b.version + 1
    RETURNING CASE WHEN b.last_event_sequence > numbered THEN 'applied_late' ELSE 'applied' END
    INTO result;
    INSERT INTO webhook_intents (segment, provider, event_id, event_type, status, outcome, attempts,
                                 deliveries, body_sha256, fingerprint, account, object, sequence,
                                 effect_key, amount, currency, correlation_id, received_at, done_at,
                                 delivery_id, item_offset, item_length)
    VALUES (open_segment, 'demo', event, 'payment.captured', 'done', result, 1, 1,
            sha256(payload), print, account, 'pi_' || id, numbered, effect, minor, 'USD', trace,
            arrived, arrived, block * 4096, 0, octet_length(payload));
    INSERT INTO transfers (effect_key, debit_account, credit_account, currency, amount, provider,
                           event_id, sequence, posted_at)
    VALUES (effect, 'demo-test:clearing', account, 'USD', minor, 'demo', event, numbered, arrived);
    INSERT INTO staged_jobs (kind, payload, correlation_id, staged_at)
    VALUES ('notify', jsonb_build_object('type', 'credit.applied', 'provider', 'demo',
                'event_id', event, 'account', account, 'amount', minor, 'currency', 'USD',
                'effect_key', effect, 'outcome', result), trace, arrived);
    RETURN result;
END
$$;
