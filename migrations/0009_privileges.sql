-- Privileges of pawl_runtime, the server's role. It owns nothing: it can neither alter a table, nor
-- delete from journal, intents or audit log. Movements, balances and audit entries it writes
-- through functions of the owner; tokens not at all.
SET LOCAL ROLE pawl_owner;
SET LOCAL search_path = pawl, pg_temp;

GRANT SELECT ON schema_migrations, purged_intents TO pawl_runtime;

GRANT SELECT, INSERT ON installation TO pawl_runtime;
GRANT UPDATE (mode) ON installation TO pawl_runtime;

-- Received.
GRANT SELECT, INSERT, UPDATE ON webhook_intents TO pawl_runtime;
GRANT SELECT ON segments TO pawl_runtime;
GRANT INSERT (segment, opened_at, rows_before) ON segments TO pawl_runtime;
GRANT UPDATE (sealed_at, keys, token, filter, doubles) ON segments TO pawl_runtime;
GRANT SELECT ON webhook_deliveries TO pawl_runtime;
GRANT SELECT, INSERT ON open_deliveries, redeliveries, rejections TO pawl_runtime;
-- The database numbers the blocks: none gets the number of another.
GRANT SELECT, INSERT (received_at, deliveries, raw) ON delivery_blocks TO pawl_runtime;
GRANT USAGE ON SEQUENCE delivery_blocks_block_id_seq TO pawl_runtime;
GRANT SELECT, INSERT, DELETE ON effect_waits, provider_pauses TO pawl_runtime;
GRANT UPDATE (since) ON effect_waits TO pawl_runtime;
GRANT SELECT, INSERT, UPDATE, DELETE ON sequence_waits TO pawl_runtime;
GRANT SELECT, INSERT, DELETE ON processed_messages TO pawl_runtime;
GRANT SELECT, INSERT, UPDATE ON source_offsets TO pawl_runtime;

-- Ledger.
GRANT SELECT ON transfers, balances TO pawl_runtime;
GRANT SELECT, INSERT ON returned_effects, effect_reports, posted_shapes TO pawl_runtime;
GRANT SELECT, INSERT, UPDATE ON sequences, running_totals TO pawl_runtime;

-- Payments, workflows.
GRANT SELECT, INSERT, UPDATE ON orders, payments, captures, refunds, disputes TO pawl_runtime;
GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_keys TO pawl_runtime;
GRANT SELECT, INSERT, UPDATE ON workflow_runs, workflow_signals, external_calls TO pawl_runtime;
GRANT SELECT, INSERT ON workflow_steps TO pawl_runtime;
GRANT SELECT ON recoveries TO pawl_runtime;
GRANT UPDATE (ended_at, ended_by, end_reason) ON recoveries TO pawl_runtime;

-- Jobs. Locking a row takes the right to update it, if only one column.
GRANT SELECT, INSERT, DELETE ON staged_jobs TO pawl_runtime;
GRANT UPDATE (staged_at) ON staged_jobs TO pawl_runtime;
GRANT SELECT, INSERT, UPDATE, DELETE ON jobs TO pawl_runtime;
GRANT SELECT, INSERT, DELETE ON jobs_done TO pawl_runtime;
GRANT UPDATE (last_error) ON jobs_done TO pawl_runtime;

-- Access.
GRANT SELECT ON api_tokens, audit_log TO pawl_runtime;

-- Functions. Every role may execute a function unless that is revoked.
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA pawl FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    post_transfers, lock_balances, locked_balances, write_audit, begin_recovery,
    key_hash(text),
    key_stem(text),
    transfers_of_root(text),
    entry_digest(text),
    unpack_deliveries(bigint, bytea),
    find_delivery(bigint),
    make_partition(text, timestamptz, integer),
    drop_partition(text, interval),
    reap_open_deliveries(bigint, integer),
    purge_intents(text, interval, interval, integer),
    analyze_partitioned() TO pawl_runtime;
