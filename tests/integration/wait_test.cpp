#include <gtest/gtest.h>

#include "intents/accept/accept.hpp"
#include "intents/verify/verify.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"

namespace pawl {
namespace {

using ledger::Outcome;
using providers::Action;
using providers::OrderingPolicy;
using testing::Said;

class Wait : public ::testing::Test {
  protected:
    ~Wait() override { EXPECT_TRUE(intents::holds(intents::verify(session))); }

    intents::EventResult one(const Said& said) {
        return testing::commit(session, {testing::deliver({testing::event(said)})})[0][0];
    }
    intents::EventResult hold(std::int64_t number, const std::string& account = "user:1") {
        const std::string id = account + "#" + std::to_string(number);
        return one({.id = id,
                    .effect = id,
                    .account = account,
                    .sequence = number,
                    .order = OrderingPolicy::hold});
    }
    Said refund(const std::string& id, const std::string& capture) {
        return {.id = id,
                .effect = "refund/" + id,
                .amount = 30,
                .action = Action::debit,
                .needs = {capture}};
    }
    std::string balance(const std::string& account = "user:1") {
        return database.value("SELECT amount FROM balances WHERE account = '" + account + "'");
    }
    std::string outcome(const std::string& id) {
        return database.value("SELECT outcome FROM webhook_intents WHERE event_id = '" + id + "'");
    }
    std::string waiting() {
        return database.value(
            "SELECT (SELECT count(*) FROM effect_waits) + "
            "(SELECT count(*) FROM sequence_waits)");
    }
    testing::TestDatabase database;
    db::Session session = database.session();
};

TEST_F(Wait, ARefundBeforeItsCaptureIsReleasedByTheCapture) {
    EXPECT_EQ(one(refund("r1", "capture/1")).outcome, Outcome::parked);
    EXPECT_EQ(balance(), "");
    one({"c1", "capture/1"});
    EXPECT_EQ(outcome("r1"), "applied");
    EXPECT_EQ(balance(), "70");
    EXPECT_EQ(waiting(), "0");
}

TEST_F(Wait, DependentOfAReleasedEventIsReleased) {
    Said second = refund("r2", "refund/r1");
    EXPECT_EQ(one(second).outcome, Outcome::parked);
    EXPECT_EQ(one(refund("r1", "capture/1")).outcome, Outcome::parked);
    one({"c1", "capture/1"});
    EXPECT_EQ(balance(), "40");
    EXPECT_EQ(waiting(), "0");
}

// A poison waiter: its plan was written by something that is not us.
TEST_F(Wait, ParkedEventWithAnUnreadablePlanBlocksNoOther) {
    one(refund("r1", "capture/1"));
    one(refund("r2", "capture/1"));
    database.run("UPDATE webhook_intents SET plan = '{\"broken\":true}' WHERE event_id = 'r1'");
    EXPECT_EQ(one({"c1", "capture/1"}).outcome, Outcome::applied);
    EXPECT_EQ(outcome("r2"), "applied");
    EXPECT_EQ(balance(), "70");
    EXPECT_EQ(database.value("SELECT outcome || (wake_at <= now()) FROM webhook_intents "
                             "WHERE event_id = 'r1'"),
              "parkedtrue")
        << "no event wakes the sweeper";
    database.run(
        "UPDATE webhook_intents SET status = 'quarantined', outcome = 'quarantined', "
        "note = 'plan_unreadable', plan = NULL WHERE event_id = 'r1'");
}

TEST_F(Wait, ARefundWithTwoNeedsGoesWhenBothAreMet) {
    Said both = refund("r1", "capture/1");
    both.needs = {"capture/1", "capture/2"};
    one(both);
    one({"c1", "capture/1"});
    EXPECT_EQ(outcome("r1"), "parked");
    one({"c2", "capture/2"});
    EXPECT_EQ(outcome("r1"), "applied");
    EXPECT_EQ(balance(), "170");
    EXPECT_EQ(waiting(), "0");
}

TEST_F(Wait, RefundAndCaptureInOneBatchInEitherOrder) {
    testing::commit(session, {testing::deliver({testing::event(refund("r1", "capture/1"))}),
                              testing::deliver({testing::event({"c1", "capture/1"})})});
    EXPECT_EQ(outcome("r1"), "applied");
    EXPECT_EQ(balance(), "70");
    EXPECT_EQ(waiting(), "0");
}

// However long it was on its way, or pending.
TEST_F(Wait, TheDeadlineOfANeedRunsFromTheMomentOfParking) {
    auto late = testing::deliver({testing::event(refund("r1", "capture/1"))});
    late.delivery.received_at -= std::chrono::hours(73);
    EXPECT_EQ(testing::commit(session, {late})[0][0].outcome, Outcome::parked);
    one({"c1", "capture/1"});
    EXPECT_EQ(outcome("r1"), "applied");
    EXPECT_EQ(waiting(), "0");
}

TEST_F(Wait, HeldEventsAreAppliedInOrderWhateverOrderTheyComeIn) {
    EXPECT_EQ(hold(3).note, "waiting for 1");
    EXPECT_EQ(hold(2).outcome, Outcome::parked);
    EXPECT_EQ(hold(1).outcome, Outcome::applied);
    EXPECT_EQ(hold(4).outcome, Outcome::applied);
    EXPECT_EQ(balance(), "400");
    EXPECT_EQ(database.value("SELECT string_agg(event_id, ' ' ORDER BY id) FROM transfers"),
              "user:1#1 user:1#2 user:1#3 user:1#4");
    EXPECT_EQ(database.value("SELECT last FROM sequences"), "4");
    EXPECT_EQ(waiting(), "0");
}

TEST_F(Wait, AGapOfOneAccountDoesNotHoldAnother) {
    hold(2);
    EXPECT_EQ(hold(1, "user:2").outcome, Outcome::applied);
    EXPECT_EQ(balance(), "");
    EXPECT_EQ(database.value("SELECT gap_since IS NOT NULL FROM sequences WHERE scope = 'user:1'"),
              "t");
}

TEST_F(Wait, ANumberThatWasPassedWithoutItsEffectIsAppliedLate) {
    hold(1);
    hold(2);
    const auto twin =
        one({.id = "twin", .effect = "other", .sequence = 1, .order = OrderingPolicy::hold});
    EXPECT_EQ(twin.outcome, Outcome::applied_late);
    EXPECT_EQ(balance(), "300");
}

TEST_F(Wait, EventsThatDoNotHoldKeepTheirPlaceInADenseStream) {
    EXPECT_EQ(hold(3).outcome, Outcome::parked);
    const auto early = one({.id = "two", .effect = "two", .sequence = 2, .dense = true});
    EXPECT_EQ(early.outcome, Outcome::applied);
    EXPECT_EQ(balance(), "100");
    EXPECT_EQ(hold(1).outcome, Outcome::applied);
    EXPECT_EQ(balance(), "300");
    EXPECT_EQ(waiting(), "0");
}

TEST_F(Wait, ADuplicateEffectMovesTheStreamOn) {
    hold(1);
    one({.id = "twin", .effect = "user:1#1", .sequence = 2, .order = OrderingPolicy::hold});
    EXPECT_EQ(outcome("twin"), "duplicate_effect");
    EXPECT_EQ(hold(3).outcome, Outcome::applied);
}

TEST_F(Wait, StrictAppliesOnlyWhatIsNewer) {
    const auto strict = [&](std::int64_t number) {
        return one({.id = std::to_string(number),
                    .effect = std::to_string(number),
                    .sequence = number,
                    .order = OrderingPolicy::strict})
            .outcome;
    };
    EXPECT_EQ(strict(5), Outcome::applied);
    EXPECT_EQ(strict(3), Outcome::stale);
    EXPECT_EQ(strict(9), Outcome::applied);
    EXPECT_EQ(balance(), "200");
}

TEST_F(Wait, ASetBalancePostsTheDifference) {
    const auto set = [&](std::int64_t number, std::int64_t amount) {
        return one({.id = std::to_string(number),
                    .effect = std::to_string(number),
                    .amount = amount,
                    .sequence = number,
                    .action = Action::set_balance,
                    .order = OrderingPolicy::strict})
            .outcome;
    };
    EXPECT_EQ(set(1, 500), Outcome::applied);
    EXPECT_EQ(set(3, 200), Outcome::applied);
    EXPECT_EQ(set(2, 900), Outcome::stale);
    EXPECT_EQ(set(4, 200), Outcome::applied);
    EXPECT_EQ(set(5, -50), Outcome::applied);
    EXPECT_EQ(balance(), "-50");
    EXPECT_EQ(one({"c1", "capture/1"}).note, "account_is_absolute");
}

TEST_F(Wait, AnAccountOfIncrementsIsNotSet) {
    one({"c1", "capture/1"});
    EXPECT_EQ(one({.id = "s",
                   .effect = "s",
                   .sequence = 1,
                   .action = Action::set_balance,
                   .order = OrderingPolicy::strict})
                  .note,
              "account_takes_increments");
}

TEST_F(Wait, ATotalPostsWhatIsNewInIt) {
    const auto total = [&](const std::string& id, std::int64_t amount,
                           std::optional<std::int64_t> number = std::nullopt) {
        return one({.id = id,
                    .effect = "capture/pay_1",
                    .amount = amount,
                    .sequence = number,
                    .total = true});
    };
    EXPECT_EQ(total("zero", 0).note, "zero_amount");
    EXPECT_EQ(total("a", 50, 1).outcome, Outcome::applied);
    EXPECT_EQ(total("none", 0, 2).note, "total_fell");
    EXPECT_EQ(total("b", 120, 3).outcome, Outcome::applied);
    EXPECT_EQ(balance(), "120");
    EXPECT_EQ(total("c", 120, 4).outcome, Outcome::duplicate_effect);
    EXPECT_EQ(total("d", 100, 5).outcome, Outcome::quarantined);
    EXPECT_EQ(total("e", 100).outcome, Outcome::stale) << "no number shows which is newer";
    EXPECT_EQ(balance(), "120");
    EXPECT_EQ(database.value("SELECT total FROM running_totals"), "120");
    EXPECT_EQ(database.value("SELECT string_agg(effect_key, ' ' ORDER BY id) FROM transfers"),
              "demo/capture/pay_1@50 demo/capture/pay_1@120");
}

TEST_F(Wait, AnOlderTotalIsStaleAndNotAFall) {
    one({.id = "b", .effect = "capture/p", .amount = 120, .sequence = 2, .total = true});
    EXPECT_EQ(
        one({.id = "a", .effect = "capture/p", .amount = 50, .sequence = 1, .total = true}).outcome,
        Outcome::stale);
    EXPECT_EQ(balance(), "120");
}

TEST_F(Wait, StreamsThatStartBelowTwoToTheThirtyOneAndFiftyThree) {
    for (const std::int64_t start : {(std::int64_t{1} << 31) - 2, (std::int64_t{1} << 53) - 2}) {
        const std::string account = std::to_string(start);
        for (std::int64_t i = 4; i >= 0; --i) {
            auto event = testing::event({.id = account + "+" + std::to_string(i),
                                         .effect = account + "+" + std::to_string(i),
                                         .account = account,
                                         .sequence = start + i,
                                         .order = OrderingPolicy::hold});
            event.sequence_rule.start = Sequence{start};
            testing::commit(session, {testing::deliver({event})});
        }
        EXPECT_EQ(balance(account), "500");
    }
}

TEST_F(Wait, AfterTheLastNumberThatThereIsNothingIsUnstorable) {
    const auto come = [this](const std::string& id, std::int64_t number,
                             const std::string& account = "user:1") {
        return one({.id = id,
                    .effect = id,
                    .account = account,
                    .sequence = number,
                    .order = OrderingPolicy::hold,
                    .from_first = true})
            .outcome;
    };
    EXPECT_EQ(come("first", INT64_MAX), Outcome::applied);
    EXPECT_EQ(come("5", 5), Outcome::applied_late);
    EXPECT_EQ(come("again", INT64_MAX), Outcome::applied_late);
    EXPECT_EQ(come("a", INT64_MAX - 2, "user:2"), Outcome::applied);
    EXPECT_EQ(come("b", INT64_MAX, "user:2"), Outcome::parked);
    EXPECT_EQ(come("c", INT64_MAX - 1, "user:2"), Outcome::applied);
    EXPECT_EQ(balance("user:2"), "300");
    EXPECT_EQ(waiting(), "0");
}

TEST_F(Wait, MoreThanOneTransactionMayReleaseAreLeftToTheSweeper) {
    constexpr int parked = 600;
    std::vector<intents::Submission> batch;
    for (int i = parked; i >= 2; --i) {
        const std::string id = "n" + std::to_string(i);
        batch.push_back(testing::deliver({testing::event(
            {.id = id, .effect = id, .sequence = i, .order = OrderingPolicy::hold})}));
        if (batch.size() == 100) {
            testing::commit(session, batch);
            batch.clear();
        }
    }
    testing::commit(session, batch);
    one({.id = "n1", .effect = "n1", .sequence = 1, .order = OrderingPolicy::hold});
    const int done = std::stoi(database.value("SELECT count(*) FROM transfers"));
    EXPECT_GT(done, 200);
    EXPECT_LE(done, 260);
    EXPECT_EQ(database.value("SELECT count(*) FROM webhook_intents WHERE status = 'parked' AND "
                             "wake_at <= now()"),
              "1");
}

}  // namespace
}  // namespace pawl
