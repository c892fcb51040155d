#include "intents/retention.hpp"

#include <gtest/gtest.h>

#include "intents/partitions.hpp"
#include "intents/sql.hpp"
#include "intents/verify.hpp"
#include "jobs/upkeep.hpp"
#include "payments/idempotency.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"

namespace pawl::intents {
namespace {

using std::chrono::days;
using std::chrono::hours;

testing::Said in_order(const char* id, std::int64_t sequence) {
    return {.id = id,
            .effect = std::string("capture/") + id,
            .sequence = sequence,
            .order = providers::Order::hold};
}

class Retention : public ::testing::Test {
  protected:
    // As if it had come so long ago.
    void deliver_at(Duration ago, const std::vector<testing::Said>& said) {
        std::vector<providers::Event> events;
        for (const testing::Said& one : said) events.push_back(testing::event(one));
        auto submission = testing::deliver(std::move(events));
        submission.delivery.received_at = now - ago;
        testing::commit(session, {submission});
        for (const testing::Said& one : said) {
            database.run("UPDATE webhook_intents SET done_at = done_at - interval '" +
                         std::to_string(std::chrono::duration_cast<hours>(ago).count()) +
                         " hours' WHERE event_id = '" + one.id +
                         "'; UPDATE transfers SET posted_at = posted_at - interval '" +
                         std::to_string(std::chrono::duration_cast<hours>(ago).count()) +
                         " hours' WHERE event_id = '" + one.id + "'");
        }
    }
    void forget() { keep_up(forgetting_chores({{"demo", days(30), days(3)}})); }
    std::string ids(const std::string& where = "true") {
        return database.value(
            "SELECT string_agg(event_id, ' ' ORDER BY event_id) FROM webhook_intents WHERE " +
            where);
    }
    // Every chore until it has nothing more to do.
    void keep_up(const std::vector<jobs::Chore>& chores, Duration later = {}) {
        for (const jobs::Chore& chore : chores) {
            for (int step = 0; chore.step(session, now + later); ++step) ASSERT_LT(step, 1000);
        }
    }
    // By this transaction, however they were found.
    std::int64_t rows_read(db::Transaction& transaction, const std::string& table) {
        const db::Query query{"rows_read",
                              "SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)"
                              "::bigint FROM pg_stat_xact_user_tables WHERE relname LIKE $1"};
        return transaction.run(query, db::Params().text(table)).only().number(0);
    }
    std::string count(const std::string& table, const std::string& where = "true") {
        return database.value("SELECT count(*) FROM " + table + " WHERE " + where);
    }

    testing::TestDatabase database;
    db::Session session = database.session();
    const Time now = SystemClock().now();
};

TEST_F(Retention, OldPartitionsGoWithTheirBytesAndTheDedupRowsStay) {
    make_partitions(session, now - days(60));
    make_partitions(session, now - days(7));
    deliver_at(days(50), {{"old", "capture/1"}});
    deliver_at(days(1), {{"new", "capture/2"}});
    const std::string before = count("pg_inherits");
    keep_up(delivery_chores(days(30)));
    EXPECT_EQ(database.value("SELECT string_agg(event_id, ' ') FROM webhook_deliveries"), "new");
    EXPECT_EQ(count("webhook_intents"), "2");
    EXPECT_NE(count("pg_inherits"), before);
    EXPECT_TRUE(holds(verify(session)));
    deliver_at(days(50), {{"late", "capture/3"}});  // has a place all the same
    EXPECT_EQ(count("webhook_deliveries_default"), "1");
}

// Lessons 25 and 40.
TEST_F(Retention, TheBytesOfUnfinishedEventsAreMovedOutFirstThoseOfTheirBatchIncluded) {
    make_partitions(session, now - days(60));
    const testing::Said parked{
        .id = "parked", .effect = "capture/2", .sequence = 2, .order = providers::Order::hold};
    deliver_at(days(50), {{"head", "capture/7"}, parked});
    deliver_at(days(50), {{"done", "capture/8"}});
    keep_up(delivery_chores(days(30)));
    EXPECT_EQ(database.value("SELECT string_agg(event_id, ' ' ORDER BY event_id) FROM "
                             "webhook_deliveries"),
              "head parked");
    EXPECT_TRUE(holds(verify(session)));
    keep_up(delivery_chores(days(30)), days(365));
    EXPECT_EQ(count("webhook_deliveries"), "2");
    // Once it is finished they may go, too.
    make_partitions(session, now);
    deliver_at(
        hours(0),
        {{.id = "capture", .effect = "capture/1", .sequence = 1, .order = providers::Order::hold}});
    EXPECT_EQ(database.value("SELECT outcome FROM webhook_intents WHERE event_id = 'parked'"),
              "applied");
    keep_up(delivery_chores(days(30)));
    EXPECT_EQ(database.value("SELECT string_agg(event_id, ' ') FROM webhook_deliveries"),
              "capture");
}

TEST_F(Retention, APartitionWithTooManyUnfinishedEventsIsKeptWhole) {
    make_partitions(session, now - days(60));
    deliver_at(days(50), {{"done", "capture/1"}});
    database.run(
        "INSERT INTO webhook_deliveries SELECT (r).* FROM (SELECT jsonb_populate_record(d, "
        "jsonb_build_object('event_id', 'q' || n, 'delivery_id', 1000 + n)) AS r FROM "
        "webhook_deliveries d, generate_series(1, 1001) n) s;"
        "INSERT INTO webhook_intents SELECT (r).* FROM (SELECT jsonb_populate_record(i, "
        "jsonb_build_object('event_id', 'q' || n, 'status', 'quarantined', 'outcome', "
        "'quarantined', 'note', 'test', 'done_at', NULL)) AS r FROM webhook_intents i, "
        "generate_series(1, 1001) n) s");
    keep_up(delivery_chores(days(30)));
    EXPECT_EQ(count("webhook_deliveries"), "1002");
}

TEST_F(Retention, ThoseWhoReceiveAreNotHeldUpByADropThatCannotHaveItsLock) {
    make_partitions(session, now - days(60));
    deliver_at(days(50), {{"old", "capture/1"}});
    db::Session other = database.session();
    db::Transaction receiving(other);
    receiving.run_script("LOCK TABLE webhook_deliveries IN ROW EXCLUSIVE MODE");
    const auto chores = delivery_chores(days(30));
    const auto began = std::chrono::steady_clock::now();
    EXPECT_THROW(chores[1].step(session, now), db::Failure);
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(2));
    EXPECT_EQ(count("webhook_deliveries"), "1");
}

TEST_F(Retention, DedupRowsAreForgottenByTheirProvidersRetentionAndNothingElseIs) {
    deliver_at(days(50), {{"old", "capture/1"}});
    deliver_at(days(50), {{.id = "parked",
                           .effect = "refund/9",
                           .action = providers::Action::debit,
                           .needs = {"capture/9"}}});
    deliver_at(days(3), {{"new", "capture/2"}});
    database.run(
        "INSERT INTO webhook_intents SELECT (r).* FROM (SELECT jsonb_populate_record(i, "
        "jsonb_build_object('event_id', 'old' || n, 'outcome', 'ignored', 'provider', CASE WHEN "
        "n % 2 = 0 THEN 'demo' ELSE 'other' END)) AS r FROM webhook_intents i, generate_series(1, "
        "5000) n WHERE event_id = 'old') s");
    keep_up(forgetting_chores({{"demo", days(30), days(3)}}));
    EXPECT_EQ(database.value("SELECT string_agg(event_id, ' ' ORDER BY event_id) FROM "
                             "webhook_intents WHERE provider = 'demo'"),
              "new parked");
    EXPECT_EQ(count("webhook_intents", "provider = 'other'"), "2500");
    EXPECT_EQ(count("transfers"), "2");
    EXPECT_EQ(database.value("SELECT forgotten FROM forgotten_intents"), "2501");
    EXPECT_TRUE(holds(verify(session)));
    // It comes once more, as new: its effect is known for ever.
    deliver_at(hours(0), {{"old", "capture/1"}});
    EXPECT_EQ(database.value("SELECT outcome FROM webhook_intents WHERE event_id = 'old'"),
              "duplicate_effect");
    EXPECT_EQ(count("transfers"), "2");
    EXPECT_TRUE(holds(verify(session)));
}

// Lesson 39: what has been passed is not read again, but for what could not go yet.
TEST_F(Retention, ARoundReadsOnlyWhatHasComeToItsAgeSinceTheLast) {
    deliver_at(days(50), {{"old", "capture/1"}});
    deliver_at(days(50), {{.id = "parked",
                           .effect = "refund/9",
                           .action = providers::Action::debit,
                           .needs = {"capture/9"}}});
    database.run(
        "INSERT INTO webhook_intents SELECT (r).* FROM (SELECT jsonb_populate_record(i, "
        "jsonb_build_object('event_id', 'old' || n, 'provider', 'other', 'received_at', "
        "received_at - n * interval '1 second')) AS r FROM "
        "webhook_intents i, generate_series(1, 5000) n WHERE event_id = 'old') s; "
        "ANALYZE webhook_intents");
    forget();
    EXPECT_EQ(count("webhook_intents"), "5001");
    for (const int step : {1, 2}) {
        db::Transaction transaction(session);
        const auto before = rows_read(transaction, "webhook_intents");
        db::Params params;
        params.text("demo").number(30 * 86400).number(3 * 86400).number(2000);
        EXPECT_FALSE(transaction.run(sql::forget_intents, params).only().flag(0));
        EXPECT_LE(rows_read(transaction, "webhook_intents") - before, 10) << step;
        transaction.commit();
    }
}

// One that has been dealt with keeps its place in the stream: who stands behind it must go on.
TEST_F(Retention, WhatKeepsAPlaceInAStreamIsNotForgotten) {
    providers::Event passed = testing::event(in_order("three", 3));
    passed.movement.reset();
    passed.action = providers::Action::ignore;
    passed.order = providers::Order::late_ok;  // by another rule of the same stream
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
    // Nothing stands behind it any more.
    forget();
    EXPECT_EQ(ids(), "four one two");
    EXPECT_EQ(count("forget_later"), "1");
    EXPECT_TRUE(holds(verify(session)));
}

TEST_F(Retention, WhatIsFinishedLateIsForgottenLate) {
    deliver_at(days(50), {in_order("two", 2)});
    forget();
    EXPECT_EQ(count("forget_later"), "1");
    deliver_at(days(1), {in_order("one", 1)});
    forget();
    EXPECT_EQ(ids("outcome = 'applied'"), "one two");
    database.run(
        "UPDATE webhook_intents SET done_at = now() - interval '40 days'; "
        "UPDATE transfers SET posted_at = now() - interval '40 days'");
    forget();
    EXPECT_EQ(ids(), "one");
    EXPECT_EQ(count("forget_later"), "0");
    EXPECT_TRUE(holds(verify(session)));
}

// Its redeliveries would be taken for new events.
TEST_F(Retention, NothingIsForgottenBeforeTwiceTheTimeInWhichItIsDeliveredAgain) {
    deliver_at(days(50), {{"fifty", "capture/1"}});
    deliver_at(days(35), {{"thirty-five", "capture/2"}});
    keep_up(forgetting_chores({{"demo", days(30), days(20)}}));
    EXPECT_EQ(ids(), "thirty-five");
    keep_up(forgetting_chores({{"demo", days(30), days(17)}}));
    EXPECT_EQ(count("webhook_intents"), "0");
}

// A clock that is wrong on one server must cost nobody an event.
TEST_F(Retention, TheClockIsThatOfTheDatabase) {
    deliver_at(days(20), {{"new", "capture/1"}});
    keep_up(forgetting_chores({{"demo", days(30), days(3)}}), days(365));
    EXPECT_EQ(count("webhook_intents"), "1");
}

TEST_F(Retention, TheDatabaseHasFloorsOfItsOwnWhateverItIsAsked) {
    make_partitions(session, now);
    deliver_at(hours(1), {{"fresh", "capture/1"}});
    keep_up(delivery_chores(Duration::zero()), days(365));
    keep_up(forgetting_chores({{"demo", Duration::zero(), Duration::zero()}}), days(365));
    EXPECT_EQ(count("webhook_intents"), "1");
    EXPECT_EQ(count("webhook_deliveries"), "1");
}

// Lesson 25.
TEST_F(Retention, KeysThatWereAnsweredAreReapedAndUnfinishedOnesNeverAre) {
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

// Lesson 39: each of these finds its rows by an index, however many others there are.
TEST_F(Retention, TheStepsReadNoWholeTable) {
    database.run(
        "INSERT INTO jobs (id, kind, payload, correlation_id, state, run_at, staged_at, done_at) "
        "SELECT n, 'test', '{}', 'c', CASE WHEN n % 100 = 0 THEN 'done' ELSE 'ready' END, now(), "
        "now(), CASE WHEN n % 100 = 0 THEN now() - interval '9 days' END FROM "
        "generate_series(1, 20000) n; ANALYZE jobs");
    const std::string plan =
        "SELECT string_agg(line, ' ') FROM test_plan('SELECT id, target FROM jobs WHERE state IN "
        "(''done'', ''discarded'') AND done_at < now() ORDER BY done_at LIMIT 100') AS line";
    database.run(
        "CREATE FUNCTION test_plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$ BEGIN "
        "RETURN QUERY EXECUTE 'EXPLAIN ' || query; END $$");
    EXPECT_NE(database.value(plan).find("jobs_over"), std::string::npos) << database.value(plan);
}

}  // namespace
}  // namespace pawl::intents
