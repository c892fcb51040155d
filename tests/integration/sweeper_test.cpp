#include "intents/parking/sweeper.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "access/pauses.hpp"
#include "base/fault.hpp"
#include "intents/accept/accept.hpp"
#include "intents/verify/verify.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"

namespace pawl::intents {
namespace {

using providers::Action;
using providers::OrderingPolicy;

// Another account, and the duration of its deliveries.
class Bystander {
  public:
    explicit Bystander(const testing::TestDatabase& database) : session_(database.session()) {}

    void commits(int count) {
        for (int i = 0; i < count; ++i) {
            const std::string id = "other" + std::to_string(++sent_);
            const auto began = std::chrono::steady_clock::now();
            testing::commit(
                session_,
                {testing::deliver({testing::event({.id = id, .effect = id, .account = "other"})})});
            took_.push_back(std::chrono::steady_clock::now() - began);
        }
    }
    // Median of the commits since the last call; only the ratio of two on one machine counts.
    std::chrono::nanoseconds median() {
        std::vector<std::chrono::nanoseconds> all = std::exchange(took_, {});
        const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
        std::nth_element(all.begin(), middle, all.end());
        return *middle;
    }
    void expect_at_most(int times, std::chrono::nanoseconds before) {
        const std::size_t count = took_.size();
        const auto now = median();
        std::printf("  meanwhile %zu commits of another account, each taking %.1f times as long\n",
                    count, static_cast<double>(now.count()) / static_cast<double>(before.count()));
        EXPECT_LT(now, before * times);
        EXPECT_GT(count, 20U);
    }

  private:
    db::Session session_;
    int sent_ = 0;
    std::vector<std::chrono::nanoseconds> took_;
};

class Sweep : public ::testing::Test {
  protected:
    static constexpr std::size_t rounds_max = 1000;  // many times what any of these needs

    Sweep() : clock(SystemClock().now()), sweeper({}, database.options(), clock, metrics) {}

    // Sets the clock `later` forward, and runs rounds until none finishes an event.
    std::size_t sweep(Duration later = std::chrono::seconds(1)) {
        clock.advance(later);
        std::size_t rounds = 0;
        while (sweeper.run_once(session) > 0) {
            if (++rounds < rounds_max) continue;
            ADD_FAILURE() << "the sweeper finds work after " << rounds << " rounds";
            break;
        }
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

TEST_F(Sweep, EventLeftPendingByAPauseIsFinishedWithoutARedelivery) {
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
    EXPECT_EQ(sweep(std::chrono::hours(2)), 0U);
}

TEST_F(Sweep, TimedOutEventIsEvaluatedAgainWhenItsNeedIsPosted) {
    for (const std::string id : {"r1", "r2"}) {
        deliver({.id = id,
                 .effect = "refund/" + id,
                 .amount = 30,
                 .action = Action::debit,
                 .needs = {"capture/1", "capture/" + id}});
    }
    sweep(std::chrono::hours(73));
    EXPECT_EQ(outcome("r1"), "quarantined");
    EXPECT_TRUE(holds(verify(session)));
    deliver({"c1", "capture/1"});
    EXPECT_EQ(outcome("r1"), "parked") << "its second need has a deadline of its own";
    deliver({"c2", "capture/r1"});
    EXPECT_EQ(outcome("r1"), "applied");
    EXPECT_EQ(outcome("r2"), "parked");
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "170");
    EXPECT_EQ(database.value("SELECT count(*) FROM effect_waits"), "1");
    EXPECT_TRUE(holds(verify(session)));
}

TEST_F(Sweep, AMetNeedOfAnEventThatTimedOutIsFoundByVerify) {
    deliver({.id = "r1", .effect = "refund/1", .action = Action::debit, .needs = {"capture/1"}});
    sweep(std::chrono::hours(73));
    deliver({"c2", "capture/2"});
    database.run("UPDATE effect_waits SET effect_key = 'demo/capture/2'");
    EXPECT_FALSE(holds(verify(session)));
}

TEST_F(Sweep, TheDeadlineOfANeedIsSuspendedWhileItsProviderIsPaused) {
    deliver({.id = "r1", .effect = "refund/1", .action = Action::debit, .needs = {"capture/1"}});
    ASSERT_TRUE(access::pause(session, "demo", "ana", "a test"));
    database.run("UPDATE effect_waits SET since = since - interval '100 hours'");
    database.run("UPDATE provider_pauses SET paused_at = paused_at - interval '99 hours'");
    EXPECT_EQ(sweep(std::chrono::minutes(61)), 0U);
    deliver({.id = "r2", .effect = "refund/2", .action = Action::debit, .needs = {"capture/1"}});
    ASSERT_TRUE(access::resume(session, "demo", "ana", "a test"));
    EXPECT_GT(sweep(std::chrono::minutes(61)), 0U);
    EXPECT_EQ(outcome("r1"), "parked");
    EXPECT_EQ(outcome("r2"), "parked");
    sweep(std::chrono::hours(66));
    EXPECT_EQ(outcome("r1"), "parked");
    sweep(std::chrono::hours(5));
    EXPECT_EQ(outcome("r1"), "quarantined") << "an hour before the pause and 71 after it";
    EXPECT_EQ(outcome("r2"), "parked");
}

TEST_F(Sweep, AnEventThatStillWaitsWhenItIsLookedAtAgainIsReportedOnce) {
    deliver({.id = "r1", .effect = "refund/1", .action = Action::debit, .needs = {"capture/1"}});
    for (int hour = 0; hour < 3; ++hour) EXPECT_EQ(sweep(std::chrono::minutes(61)), 1U);
    EXPECT_EQ(outcome("r1"), "parked");
    EXPECT_EQ(database.value("SELECT string_agg(payload ->> 'type', ' ') FROM staged_jobs"),
              "intent.parked");
}

// A parked event is looked at every hour; a deadline that ends before that is kept as it is.
TEST_F(Sweep, NeedsDeadlineBelowAnHourIsKept) {
    auto refund = testing::event(
        {.id = "r1", .effect = "refund/1", .action = Action::debit, .needs = {"capture/1"}});
    refund.needs_deadline = std::chrono::minutes(10);
    testing::commit(session, {testing::deliver({refund})});
    sweep(std::chrono::minutes(9));
    EXPECT_EQ(outcome("r1"), "parked");
    sweep(std::chrono::minutes(2));
    EXPECT_EQ(outcome("r1"), "quarantined");
    EXPECT_EQ(database.value("SELECT note FROM webhook_intents"), "needs_timeout");
}

// More events than one transaction releases. The rest would not wake before an hour by itself.
class SweepOfMany : public Sweep, public ::testing::WithParamInterface<bool> {};

TEST_P(SweepOfMany, RefundsBeyondTheReleaseLimitOfTheirCaptureAreReleasedAtOnce) {
    constexpr int parked = 300;
    std::vector<Submission> batch;
    for (int i = 0; i < parked; ++i) {
        const std::string id = "r" + std::to_string(i);
        batch.push_back(testing::deliver({testing::event({.id = id,
                                                          .effect = "refund/" + id,
                                                          .amount = 1,
                                                          .action = Action::debit,
                                                          .needs = {"capture/1"}})}));
        if (batch.size() < 100) continue;
        testing::commit(session, batch);
        batch.clear();
    }
    if (GetParam()) sweep(std::chrono::hours(73));
    deliver({.id = "c1", .effect = "capture/1", .amount = 1000});
    EXPECT_LT(std::stoi(database.value("SELECT count(*) FROM transfers")), parked);
    sweep();
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "700");
    EXPECT_EQ(database.value("SELECT count(*) FROM effect_waits"), "0");
    EXPECT_TRUE(holds(verify(session)));
}

INSTANTIATE_TEST_SUITE_P(TimedOut, SweepOfMany, ::testing::Bool());

// Unfinished work is never dropped for its age.
TEST_F(Sweep, AHeldEventWaitsForYearsIfItMust) {
    deliver({.id = "h2", .effect = "h2", .sequence = 2, .order = OrderingPolicy::hold});
    for (int i = 0; i < 20; ++i) sweep(std::chrono::hours(24 * 30));
    EXPECT_EQ(outcome("h2"), "parked");
    deliver({.id = "h1", .effect = "h1", .sequence = 1, .order = OrderingPolicy::hold});
    EXPECT_EQ(outcome("h2"), "applied");
}

TEST_F(Sweep, TenThousandOnOneGapAreReleasedInOrderInBoundedTransactions) {
    constexpr int parked = 10000;
    // Parked as accept parks them, but in one statement: this is about letting them go.
    deliver({.id = "h2", .effect = "h2", .sequence = 2, .order = OrderingPolicy::hold});
    database.run(
        "INSERT INTO webhook_intents SELECT (r).* FROM (SELECT jsonb_populate_record(i, "
        "jsonb_build_object('event_id', 'h' || n, 'sequence', n, 'effect_key', 'demo/h' || n, "
        "'plan', jsonb_set(jsonb_set(i.plan, '{sequence}', to_jsonb(n)), "
        "'{movements,0,effect_key}', "
        "to_jsonb('demo/h' || n)))) AS r FROM webhook_intents i, generate_series(3, 10001) n "
        "WHERE event_id = 'h2') s;"
        "INSERT INTO sequence_waits SELECT books, scope, n, provider, 'h' || n, segment, false "
        "FROM sequence_waits, generate_series(3, 10001) n");
    Bystander bystander(database);
    bystander.commits(100);
    const auto before = bystander.median();
    std::atomic<bool> over{false};
    std::thread beside([&] {
        while (!over) bystander.commits(1);
    });
    deliver({.id = "h1", .effect = "h1", .sequence = 1, .order = OrderingPolicy::hold});
    const std::size_t rounds = sweep(std::chrono::minutes(1));
    over = true;
    beside.join();
    EXPECT_GT(rounds, 30U);
    EXPECT_EQ(database.value("SELECT count(*) FROM transfers WHERE sequence > 0"),
              std::to_string(parked + 1));
    EXPECT_EQ(database.value("SELECT amount FROM balances WHERE account = 'user:1'"),
              std::to_string((parked + 1) * 100));
    EXPECT_EQ(database.value("SELECT count(*) FROM (SELECT sequence, lag(sequence) OVER (ORDER BY "
                             "id) AS before FROM transfers WHERE sequence > 0) t "
                             "WHERE sequence <> before + 1"),
              "0");
    // 256 that were released, and the one that released them.
    EXPECT_LE(std::stoi(database.value("SELECT max(n) FROM (SELECT count(*) AS n FROM transfers "
                                       "WHERE sequence > 0 GROUP BY xmin::text) t")),
              257);
    bystander.expect_at_most(20, before);
}

// A worker whose lease expired must not overwrite its successor's result.
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

TEST_F(Sweep, TheClaimOfAnEventAndItsEndEachRaiseItsLease) {
    pause();
    deliver({"e1", "capture/1"});
    resume();
    const int before = std::stoi(database.value("SELECT lease FROM webhook_intents"));
    sweep();
    EXPECT_EQ(outcome("e1"), "applied");
    EXPECT_EQ(database.value("SELECT lease FROM webhook_intents"), std::to_string(before + 2));
}

TEST_F(Sweep, AnEventClaimedSinceItsRedeliveryReadItIsLeftToItsHolder) {
    pause();
    deliver({"e1", "capture/1"});
    resume();
    fault::set_observer([&, claimed = false](std::string_view, std::string_view what) mutable {
        if (what != "intents_finish_intents" || std::exchange(claimed, true)) return;
        database.run("UPDATE webhook_intents SET lease = lease + 1, locked_at = now()");
    });
    deliver({"e1", "capture/1"});
    fault::set_observer({});
    EXPECT_EQ(outcome("e1"), "pending");
    EXPECT_EQ(database.value("SELECT count(*) FROM webhook_intents WHERE locked_at IS NOT NULL"),
              "1");
    EXPECT_EQ(database.value("SELECT count(*) FROM transfers"), "0");
}

TEST_F(Sweep, SweeperThatLostItsLeaseWritesNothingWhileAnotherHoldsTheEvent) {
    pause();
    deliver({"e1", "capture/1"});
    resume();
    Submission slow = testing::deliver({testing::event({"e1", "capture/1"})});
    slow.resumed = Resumed{1, {}, false, ""};
    database.run("UPDATE webhook_intents SET lease = 2, locked_at = now(), attempts = 2");
    const auto late = accept_and_commit(session, {&slow}, clock.now());
    EXPECT_TRUE(late[0][0].stale_write);
    EXPECT_EQ(outcome("e1"), "pending");
    EXPECT_EQ(database.value("SELECT lease || ' ' || (locked_at IS NOT NULL) || ' ' || "
                             "(SELECT count(*) FROM transfers) FROM webhook_intents"),
              "2 true 0");
    // The other one finishes.
    slow.resumed->fencing_token = 2;
    EXPECT_FALSE(accept_and_commit(session, {&slow}, clock.now())[0][0].stale_write);
    EXPECT_EQ(outcome("e1"), "applied");
}

TEST_F(Sweep, EventThatNeverFinishesIsQuarantined) {
    pause();
    deliver({"e1", "capture/1"});
    resume();
    database.run("UPDATE webhook_intents SET attempts = 8");
    sweep();
    EXPECT_EQ(outcome("e1"), "quarantined");
    EXPECT_EQ(database.value("SELECT note FROM webhook_intents"), "attempts_exhausted");
}

// Further cases, and data that the database refuses: poison_test.cpp.
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
