// Dedup rows, keys and jobs that are over.
#include "tests/integration/retention_case.hpp"

#include "intents/sql.hpp"
#include "intents/verify/verify.hpp"
#include "payments/idempotency.hpp"
#include "payments/sql.hpp"

namespace pawl::intents {
namespace {

using Purging = RetentionCase;

TEST_F(Purging, OnlyEventsWithoutMoneyArePurgedByTheirProvidersRetention) {
    deliver_at(days(50), {{"moved", "capture/1"}});
    deliver_at(days(50), {{"twin", "capture/1"}});
    deliver_at(days(50), {{.id = "parked",
                           .effect = "refund/9",
                           .action = providers::Action::debit,
                           .needs = {"capture/9"}}});
    deliver_at(days(3), {{"young twin", "capture/1"}});
    database.run(
        "INSERT INTO webhook_intents SELECT (r).* FROM (SELECT jsonb_populate_record(i, "
        "jsonb_build_object('event_id', 'old' || n, 'outcome', 'ignored', 'note', CASE n WHEN 2 "
        "THEN 'nothing_to_return' END, 'provider', CASE WHEN n % 2 = 0 THEN 'demo' ELSE 'other' "
        "END)) AS r FROM webhook_intents i, generate_series(1, 5000) n WHERE event_id = 'moved') "
        "s; "
        "UPDATE webhook_intents SET outcome = 'dismissed', event_id = 'dismissed' WHERE event_id = "
        "'old4'");
    forget();
    EXPECT_EQ(ids("provider = 'demo'"), "dismissed moved old2 parked young twin");
    EXPECT_EQ(count("webhook_intents", "provider = 'other'"), "2500");
    EXPECT_EQ(count("transfers"), "1");
    EXPECT_EQ(database.value("SELECT purged FROM purged_intents"), "2499");
    database.run("DELETE FROM webhook_intents WHERE event_id = 'old2'");  // it has no bytes here
    EXPECT_TRUE(holds(verify(session)));
    // It comes once more, as new: its effect is known for all time.
    deliver_at(hours(0), {{"twin", "capture/1"}});
    EXPECT_EQ(database.value("SELECT outcome FROM webhook_intents WHERE event_id = 'twin'"),
              "duplicate_effect");
    EXPECT_EQ(count("transfers"), "1");
    EXPECT_TRUE(holds(verify(session)));
}

// Rows that may not be purged are not read, however many there are.
TEST_F(Purging, RoundReadsOnlyTheRowsThatItPurges) {
    deliver_at(days(50), {{"moved", "capture/1"}});
    database.run(
        "INSERT INTO webhook_intents SELECT (r).* FROM (SELECT jsonb_populate_record(i, "
        "jsonb_build_object('event_id', 'other' || n, 'received_at', "
        "received_at - n * interval '1 second')) AS r FROM "
        "webhook_intents i, generate_series(1, 5000) n WHERE event_id = 'moved') s; "
        "ANALYZE webhook_intents");
    for (const int step : {1, 2}) {
        db::Transaction transaction(session);
        const auto before = rows_read(transaction, "webhook_intents");
        const sql::PurgeIntents purge{.provider = "demo",
                                      .kept_seconds = 30 * 86400,
                                      .redelivered_seconds = 3 * 86400,
                                      .limit_rows = 2000};
        EXPECT_EQ(transaction.run(purge).only().purged(), 0);
        EXPECT_LE(rows_read(transaction, "webhook_intents") - before, 10) << step;
        transaction.commit();
    }
}

// A finished event keeps its place in the stream: the events behind it must be released.
TEST_F(Purging, EventThatKeepsAPlaceInASequenceIsNotPurged) {
    providers::Event passed = testing::event(in_order("three", 3));
    passed.movements.clear();
    passed.action = providers::Action::ignore;
    passed.order = providers::OrderingPolicy::late_ok;  // by another rule of the same stream
    passed.sequence_rule.dense = true;
    auto submission = testing::deliver({passed});
    submission.delivery.received_at = now - days(50);
    testing::commit(session, {submission});
    deliver_at(days(50), {in_order("four", 4)});
    database.run("UPDATE webhook_intents SET done_at = received_at WHERE status = 'done'");
    ASSERT_EQ(ids("status = 'done'"), "three");
    ASSERT_EQ(ids("status = 'parked'"), "four");
    forget();
    deliver_at(hours(0), {in_order("one", 1)});
    deliver_at(hours(0), {in_order("two", 2)});
    EXPECT_EQ(ids("outcome = 'applied'"), "four one two");
    // No event is parked behind it any more.
    forget();
    EXPECT_EQ(ids(), "four one two");
    EXPECT_TRUE(holds(verify(session)));
}

TEST_F(Purging, RetentionRunsFromTheEndOfAnEvent) {
    deliver_at(days(50), {{"done", "capture/1"}});
    deliver_at(days(50), {{"twin", "capture/1"}});
    database.run(
        "UPDATE webhook_intents SET done_at = now() - interval '1 day' WHERE event_id = "
        "'twin'");
    forget();
    EXPECT_EQ(ids(), "done twin");
    database.run("UPDATE webhook_intents SET done_at = now() - interval '40 days'");
    forget();
    EXPECT_EQ(ids(), "done");
}

// Its redeliveries would be taken for new events.
TEST_F(Purging, EventsAreKeptForTwiceTheirRedeliveryPeriod) {
    deliver_at(days(50), {{"moved", "capture/1"}});
    deliver_at(days(50), {{"fifty", "capture/1"}});
    deliver_at(days(35), {{"thirty-five", "capture/1"}});
    keep_up(expiry_chores({{"demo", days(30), days(20)}}));
    EXPECT_EQ(ids(), "moved thirty-five");
    keep_up(expiry_chores({{"demo", days(30), days(17)}}));
    EXPECT_EQ(ids(), "moved");
}

// A wrong clock of one server must not cost an event.
TEST_F(Purging, TheDatabasesClockDecides) {
    deliver_at(days(20), {{"new", "capture/1"}});
    deliver_at(days(20), {{"twin", "capture/1"}});
    keep_up(expiry_chores({{"demo", days(30), days(3)}}), days(365));
    EXPECT_EQ(count("webhook_intents"), "2");
}

TEST_F(Purging, AnsweredKeysAreReapedAndUnfinishedOnesNever) {
    database.run(
        "INSERT INTO idempotency_keys (principal, route, key, fingerprint, subject, status, "
        "headers, body, wait_until, created_at, answered_at, expires_at) SELECT 'p', 'r', n::text, "
        "decode(repeat('00', 32), 'hex'), 's', CASE WHEN n <= 30 THEN 201 END, '', CASE WHEN n <= "
        "30 THEN ''::bytea END, now(), now(), CASE WHEN n <= 30 THEN now() END, now() - interval "
        "'40 days' + n * interval '1 day' FROM generate_series(1, 60) n");
    EXPECT_EQ(payments::reap_keys(session, 10, now), 10);
    EXPECT_EQ(payments::reap_keys(session, 100, now), 20);
    EXPECT_EQ(payments::reap_keys(session, 100, now + days(365)), 0);
    EXPECT_EQ(count("idempotency_keys", "status IS NULL"), "30");
    EXPECT_EQ(count("idempotency_keys"), "30");
}

// The queries themselves, not others that look like them.
TEST_F(Purging, ReapedRowsAndJobsOfAnEventAreFoundByAnIndex) {
    database.run(
        "INSERT INTO jobs (id, kind, payload, correlation_id, run_at, staged_at) "
        "SELECT n, 'test', '{}', 'c' || n, now(), "
        "now() - interval '20 days' + n * interval '1 min' FROM generate_series(1, 20000) n; "
        "INSERT INTO jobs_done (id, run_at, staged_at, done_at, lease, attempts, kind, target, "
        "state, payload, correlation_id) SELECT id, run_at, staged_at, run_at, 1, 1, kind, target, "
        "'done', payload, correlation_id FROM jobs; ANALYZE jobs; ANALYZE jobs_done; "
        "INSERT INTO idempotency_keys (principal, route, key, fingerprint, subject, status, "
        "headers, body, wait_until, created_at, answered_at, expires_at) SELECT 'p', 'r', n::text, "
        "decode(repeat('00', 32), 'hex'), 's', 201, '', ''::bytea, now(), now(), now(), now() - "
        "interval '40 days' + n * interval '10 min' FROM generate_series(1, 20000) n; "
        "ANALYZE idempotency_keys");
    const auto plan_of = [&](const db::Query& query, const std::string& asked) {
        const std::string name(query.name);
        db::Statement::run_script(session, "PREPARE " + name + " AS " + std::string(query.text));
        db::Transaction transaction(session);
        const std::string explain = "EXPLAIN EXECUTE " + name + asked;
        const std::string explain_name = "explain_" + name;
        std::string plan;
        for (const auto& row : transaction.run(db::Query{explain_name, explain}).named()) {
            plan += row.at("QUERY PLAN") + "\n";
        }
        return plan;
    };
    const std::string long_ago = "(now() - interval '39 days', 100)";
    const std::string keys = plan_of(payments::sql::reap_keys, long_ago);
    EXPECT_NE(keys.find("Index Scan using idempotency_keys_expired"), std::string::npos) << keys;
    EXPECT_EQ(keys.find("Seq Scan"), std::string::npos) << keys;
    const std::string told = plan_of(sql::describe_intent, "('demo', 'e1')");
    EXPECT_NE(told.find("jobs_staged_at"), std::string::npos) << told;
    EXPECT_NE(told.find("jobs_done_default_staged_at"), std::string::npos) << told;
    EXPECT_EQ(told.find("Seq Scan on jobs"), std::string::npos) << told;
}

}  // namespace
}  // namespace pawl::intents
