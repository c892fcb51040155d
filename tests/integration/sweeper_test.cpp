#include "intents/sweeper.hpp"

#include <gtest/gtest.h>

#include "intents/accept.hpp"
#include "intents/verify.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"

namespace pawl::intents {
namespace {

using providers::Action;
using providers::Order;

class Sweep : public ::testing::Test {
  protected:
    Sweep() : clock(SystemClock().now()), sweeper({}, database.options(), clock, metrics) {}

    // What the next rounds do, as if `later` had passed.
    std::size_t sweep(Duration later = std::chrono::seconds(1)) {
        clock.advance(later);
        std::size_t rounds = 0;
        while (sweeper.run_once(session) > 0) ++rounds;
        return rounds;
    }
    void pause() {
        database.run("INSERT INTO provider_pauses VALUES ('demo', now(), 'ana', 'test')");
    }
    void resume() { database.run("DELETE FROM provider_pauses"); }
    std::string outcome(const std::string& id) {
        return database.value("SELECT outcome FROM webhook_intents WHERE event_id = '" + id + "'");
    }
    void deliver(const testing::Said& said) {
        testing::commit(session, {testing::deliver({testing::event(said)})});
    }
    double stale_writes() {
        return static_cast<double>(
            metrics.counter("pawl_stale_writes_rejected_total", "").alone().value());
    }

    testing::TestDatabase database;
    db::Session session = database.session();
    ManualClock clock;
    Metrics metrics;
    Sweeper sweeper;
};

// Lesson 5.
TEST_F(Sweep, WhatAPauseLeftPendingIsFinishedWithoutAnotherDelivery) {
    pause();
    deliver({"e1", "capture/1"});
    EXPECT_EQ(sweep(), 0U);
    EXPECT_EQ(outcome("e1"), "pending");
    resume();
    EXPECT_EQ(sweep(), 1U);
    EXPECT_EQ(outcome("e1"), "applied");
    EXPECT_TRUE(holds(verify(session)));
}

TEST_F(Sweep, ANeedUnmetPastItsDeadlineIsQuarantinedByTheSweeper) {
    deliver({.id = "r1", .effect = "refund/1", .action = Action::debit, .needs = {"capture/1"}});
    sweep(std::chrono::hours(71));
    EXPECT_EQ(outcome("r1"), "parked");
    sweep(std::chrono::hours(2));
    EXPECT_EQ(outcome("r1"), "quarantined");
    EXPECT_EQ(database.value("SELECT note FROM webhook_intents"), "needs_timeout");
    EXPECT_EQ(database.value("SELECT count(*) FROM effect_waits"), "0");
}

// Lesson 40: unfinished work is never dropped for its age.
TEST_F(Sweep, AHeldEventWaitsForYearsIfItMust) {
    deliver({.id = "h2", .effect = "h2", .sequence = 2, .order = Order::hold});
    for (int i = 0; i < 20; ++i) sweep(std::chrono::hours(24 * 30));
    EXPECT_EQ(outcome("h2"), "parked");
    deliver({.id = "h1", .effect = "h1", .sequence = 1, .order = Order::hold});
    EXPECT_EQ(outcome("h2"), "applied");
}

TEST_F(Sweep, TenThousandOnOneGapAreReleasedInOrderInBoundedTransactions) {
    constexpr int parked = 10000;
    // Parked as accept parks them, but in one statement: this is about letting them go.
    deliver({.id = "h2", .effect = "h2", .sequence = 2, .order = Order::hold});
    database.run(
        "INSERT INTO webhook_intents SELECT (r).* FROM (SELECT jsonb_populate_record(i, "
        "jsonb_build_object('event_id', 'h' || n, 'sequence', n, 'effect_key', 'demo/h' || n, "
        "'plan', jsonb_set(jsonb_set(i.plan, '{sequence}', to_jsonb(n)), '{movement,effect_key}', "
        "to_jsonb('demo/h' || n)))) AS r FROM webhook_intents i, generate_series(3, 10001) n "
        "WHERE event_id = 'h2') s;"
        "INSERT INTO sequence_waits SELECT books, scope, n, provider, 'h' || n, false "
        "FROM sequence_waits, generate_series(3, 10001) n");
    deliver({.id = "h1", .effect = "h1", .sequence = 1, .order = Order::hold});
    const std::size_t rounds = sweep(std::chrono::minutes(1));
    EXPECT_GT(rounds, 30U);
    EXPECT_EQ(database.value("SELECT count(*) FROM transfers"), std::to_string(parked + 1));
    EXPECT_EQ(database.value("SELECT amount FROM balances"), std::to_string((parked + 1) * 100));
    EXPECT_EQ(database.value("SELECT count(*) FROM (SELECT sequence, lag(sequence) OVER (ORDER BY "
                             "id) AS before FROM transfers) t WHERE sequence <> before + 1"),
              "0");
}

// Lessons 20 and 29: a worker that lost its lease writes nothing.
TEST_F(Sweep, AWorkerThatLostItsLeaseWritesNothingAndIsCounted) {
    pause();
    deliver({"e1", "capture/1"});
    resume();
    // The first worker claims, and stands still; its lease runs out; another finishes.
    db::Session standing = database.session();
    Submission slow = testing::deliver({testing::event({"e1", "capture/1"})});
    database.run("UPDATE webhook_intents SET lease = 1, locked_at = now() - interval '1 hour'");
    slow.resumed = Resumed{1, {}, false, ""};
    sweep(std::chrono::minutes(2));
    EXPECT_EQ(outcome("e1"), "applied");
    const auto late = accept_and_commit(standing, {&slow}, clock.now());
    EXPECT_TRUE(late[0][0].stale_write);
    EXPECT_EQ(database.value("SELECT count(*) FROM transfers"), "1");
}

// Lesson 38.
TEST_F(Sweep, AnEventThatNeverComesToAnEndIsGivenToAPerson) {
    pause();
    deliver({"e1", "capture/1"});
    resume();
    database.run("UPDATE webhook_intents SET attempts = 8");
    sweep();
    EXPECT_EQ(outcome("e1"), "quarantined");
    EXPECT_EQ(database.value("SELECT note FROM webhook_intents"), "attempts_exhausted");
}

// Lesson 26.
TEST_F(Sweep, TwoThousandPoisonEventsDoNotKeepAGoodOneWaiting) {
    pause();
    deliver({"good", "capture/1"});
    database.run(
        "INSERT INTO webhook_intents SELECT (r).* FROM (SELECT jsonb_populate_record(i, "
        "jsonb_build_object('event_id', 'poison' || n, 'plan', '{\"broken\":true}'::jsonb)) AS r "
        "FROM webhook_intents i, generate_series(1, 2000) n) s");
    resume();
    sweep();
    EXPECT_EQ(outcome("good"), "applied");
    EXPECT_EQ(database.value("SELECT count(*) FROM webhook_intents WHERE note = 'plan_unreadable'"),
              "2000");
}

TEST_F(Sweep, AnotherSweepersWorkIsPassedOver) {
    pause();
    deliver({"e1", "capture/1"});
    resume();
    db::Session other = database.session();
    db::Transaction holding(other);
    holding.run_script("SELECT * FROM webhook_intents FOR UPDATE");
    EXPECT_EQ(sweep(), 0U);
}

}  // namespace
}  // namespace pawl::intents
