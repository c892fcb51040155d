#include "intents/accept/accept.hpp"

#include <gtest/gtest.h>

#include "tests/support/database.hpp"
#include "tests/support/events.hpp"

namespace pawl {
namespace {

using intents::Submission;
using ledger::Outcome;
using providers::Action;
using testing::commit;
using testing::deliver;
using testing::event;
using testing::Said;

class Accept : public ::testing::Test {
  protected:
    intents::EventResult one(const providers::Event& event) {
        return commit(session, {deliver({event})})[0][0];
    }
    std::string balance(const std::string& account = "user:1") {
        return database.value("SELECT amount FROM balances WHERE account = '" + account + "'");
    }
    testing::TestDatabase database;
    db::Session session = database.session();
};

TEST_F(Accept, ANewCreditIsAppliedAndMovesMoney) {
    const auto answer = one(event({"e1", "capture/1"}));
    EXPECT_EQ(answer.outcome, Outcome::applied);
    EXPECT_FALSE(answer.duplicate);
    EXPECT_EQ(balance(), "100");
    EXPECT_EQ(database.value("SELECT debit_account FROM transfers"), "demo:clearing");
}

TEST_F(Accept, TheSameEventAgainIsADuplicateWithTheFirstOutcome) {
    one(event({"e1", "capture/1"}));
    const auto again = one(event({"e1", "capture/1"}));
    EXPECT_EQ(again.outcome, Outcome::applied);
    EXPECT_TRUE(again.duplicate);
    EXPECT_EQ(balance(), "100");
    EXPECT_EQ(database.value("SELECT deliveries FROM webhook_intents"), "2");
    EXPECT_EQ(database.value("SELECT count(*) FROM webhook_deliveries"), "1");
}

TEST_F(Accept, TwinsInOneBatchAreOneCredit) {
    const auto e = event({"e1", "capture/1"});
    const auto answers = commit(session, {deliver({e}), deliver({e}), deliver({e, e})});
    EXPECT_FALSE(answers[0][0].duplicate);
    EXPECT_TRUE(answers[1][0].duplicate);
    EXPECT_TRUE(answers[2][1].duplicate);
    EXPECT_EQ(balance(), "100");
    EXPECT_EQ(database.value("SELECT deliveries FROM webhook_intents"), "4");
}

// A forged unsigned id does not make a movement new.
TEST_F(Accept, AnotherEventForTheSameEffectMovesNothing) {
    one(event({"e1", "capture/1"}));
    const auto twin = one(event({"e2", "capture/1"}));
    EXPECT_EQ(twin.outcome, Outcome::duplicate_effect);
    EXPECT_FALSE(twin.duplicate);
    EXPECT_EQ(balance(), "100");
}

TEST_F(Accept, TheSameIdWithOtherContentIsKeptApartAndMovesNothing) {
    one(event({"e1", "capture/1"}));
    const auto other = one(event({.id = "e1", .effect = "capture/2", .amount = 999}));
    EXPECT_EQ(other.outcome, Outcome::quarantined);
    EXPECT_EQ(other.note, "id_conflict");
    EXPECT_TRUE(other.event_id.str().starts_with("e1~"));
    EXPECT_TRUE(one(event({.id = "e1", .effect = "capture/2", .amount = 999})).duplicate);
    EXPECT_EQ(balance(), "100");
    EXPECT_EQ(database.value("SELECT count(*) FROM webhook_intents"), "2");
}

// Its key has only a part of the hash, so another content may have the same.
TEST_F(Accept, AConflictIsKeptWhateverHoldsItsKey) {
    const auto second = event({.id = "e1", .effect = "capture/2", .amount = 999});
    const std::string key = "e1~" + second.fingerprint.substr(0, 16);
    for (const bool in_one_batch : {false, true}) {
        SCOPED_TRACE(in_one_batch);
        database.run("TRUNCATE webhook_intents, transfers, balances CASCADE");
        const std::vector<Submission> all{deliver({event({key, "capture/9"})}),
                                          deliver({event({"e1", "capture/1"})}), deliver({second}),
                                          deliver({second})};
        std::vector<intents::DeliveryResult> answers;
        if (in_one_batch) answers = commit(session, all);
        for (const Submission& each : all) {
            if (!in_one_batch) answers.push_back(commit(session, {each})[0]);
        }
        EXPECT_EQ(answers[2][0].note, "id_conflict");
        EXPECT_FALSE(answers[2][0].duplicate);
        EXPECT_TRUE(answers[3][0].duplicate);
        EXPECT_EQ(answers[3][0].event_id, answers[2][0].event_id);
        EXPECT_EQ(database.value("SELECT count(*) FROM webhook_intents"), "3");
        EXPECT_EQ(database.value("SELECT encode(fingerprint, 'hex') FROM webhook_intents "
                                 "WHERE note = 'id_conflict'"),
                  second.fingerprint);
        EXPECT_EQ(balance(), "200");
    }
}

providers::Event of_test_mode(providers::Event event) {
    event.movements.clear();
    event.action = Action::ignore;
    event.note = providers::test_mode_note;
    event.body_sha256 = std::string(64, '7');  // it says its mode
    return event;
}
providers::Event live(providers::Event event) {
    event.live = true;
    return event;
}

TEST_F(Accept, ATestEventNeverTakesTheSlotOfALiveEvent) {
    const auto money = live(event({"e1", "capture/1"}));
    const auto seen = one(of_test_mode(event({"e1", "capture/1"})));
    EXPECT_EQ(seen.note, "test_mode");
    EXPECT_EQ(seen.event_id.str(), "e1");
    const auto moved = one(money);
    EXPECT_EQ(moved.outcome, Outcome::applied);
    EXPECT_FALSE(moved.duplicate);
    EXPECT_TRUE(one(money).duplicate);
    EXPECT_TRUE(one(of_test_mode(event({"e1", "capture/1"}))).duplicate);
    EXPECT_EQ(balance(), "100");
    EXPECT_EQ(database.value("SELECT count(*) FROM webhook_intents"), "2");
    EXPECT_EQ(database.value("SELECT count(*) FROM transfers t JOIN webhook_intents i "
                             "USING (provider, event_id) WHERE i.outcome = 'applied'"),
              "1");
    // Other content under the live event's id is in conflict with that.
    const auto other = one(live(event({.id = "e1", .effect = "capture/2", .amount = 999})));
    EXPECT_EQ(other.note, "id_conflict");
    EXPECT_TRUE(one(live(event({.id = "e1", .effect = "capture/2", .amount = 999}))).duplicate);
    EXPECT_EQ(balance(), "100");
}

TEST_F(Accept, ALiveEventKeepsItsSlotFromATestEventAfterIt) {
    one(live(event({"e1", "capture/1"})));
    const auto test = one(of_test_mode(event({.id = "e1", .effect = "capture/2", .amount = 9})));
    EXPECT_EQ(test.outcome, Outcome::ignored);
    EXPECT_EQ(test.note, "test_mode");
    EXPECT_FALSE(test.duplicate);
    EXPECT_EQ(balance(), "100");
}

TEST_F(Accept, ATestAndALiveEventOfOneIdInOneBatchAreTwo) {
    const auto test = of_test_mode(event({"e1", "capture/1"}));
    const auto money = live(event({"e1", "capture/1"}));
    const auto answers =
        commit(session, {deliver({test}), deliver({money}), deliver({money, test})});
    EXPECT_EQ(answers[0][0].note, "test_mode");
    EXPECT_EQ(answers[1][0].outcome, Outcome::applied);
    EXPECT_TRUE(answers[2][0].duplicate);
    EXPECT_TRUE(answers[2][1].duplicate);
    EXPECT_EQ(balance(), "100");
    EXPECT_EQ(database.value("SELECT count(*) FROM webhook_intents"), "2");
}

// Its needs are met later, and by then it is only known by the key of its row.
TEST_F(Accept, LiveEventWithATestEventsIdIsParkedAndReleased) {
    one(of_test_mode(event({"r1", "refund/1"})));
    const auto parked = one(live(event({.id = "r1",
                                        .effect = "refund/1",
                                        .amount = 30,
                                        .action = Action::debit,
                                        .needs = {"capture/1"}})));
    EXPECT_EQ(parked.outcome, Outcome::parked);
    one(live(event({"c1", "capture/1"})));
    EXPECT_EQ(balance(), "70");
}

// Tomorrow's rules may read other fields from the same bytes.
TEST_F(Accept, EqualBytesAreTheSameEventWhateverIsReadFromThem) {
    one(event({"e1", "capture/1"}));
    providers::Event again = event({"e1", "capture/1"});
    again.fingerprint = std::string(64, 'f');
    const auto answer = one(again);
    EXPECT_TRUE(answer.duplicate);
    EXPECT_EQ(answer.outcome, Outcome::applied);
    EXPECT_EQ(database.value("SELECT count(*) FROM webhook_intents"), "1");
}

struct Conflict {
    const char* name;
    Said said;
};
class EffectConflict : public Accept, public ::testing::WithParamInterface<Conflict> {};
TEST_P(EffectConflict, IsQuarantined) {
    one(event({"e1", "capture/1"}));
    const auto answer = one(event(GetParam().said));
    EXPECT_EQ(answer.outcome, Outcome::quarantined);
    EXPECT_EQ(answer.note, "effect_conflict");
    EXPECT_EQ(balance(), "100");
}
INSTANTIATE_TEST_SUITE_P(
    Other, EffectConflict,
    ::testing::Values(Conflict{"Account", {.id = "e2", .effect = "capture/1", .account = "user:2"}},
                      Conflict{"Amount", {.id = "e2", .effect = "capture/1", .amount = 101}},
                      Conflict{"Currency", {.id = "e2", .effect = "capture/1", .currency = "EUR"}},
                      Conflict{"Direction",
                               {.id = "e2", .effect = "capture/1", .action = Action::debit}}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST_F(Accept, ALateSequenceStillMovesMoney) {
    one(event({.id = "e3", .effect = "capture/3", .sequence = 3}));
    const auto late = one(event({.id = "e1", .effect = "capture/1", .sequence = 1}));
    EXPECT_EQ(late.outcome, Outcome::applied_late);
    EXPECT_EQ(balance(), "200");
    EXPECT_EQ(database.value("SELECT last_event_sequence FROM balances"), "3");
    EXPECT_EQ(database.value("SELECT late_count FROM balances"), "1");
}

TEST_F(Accept, ATieMovesMoneyAndIsNotLate) {
    one(event({.id = "e1", .effect = "capture/1", .sequence = 7}));
    EXPECT_EQ(one(event({.id = "e2", .effect = "capture/2", .sequence = 7})).outcome,
              Outcome::applied);
    EXPECT_EQ(balance(), "200");
}

TEST_F(Accept, SequencesPastTwoToTheThirtyOneAndFiftyThreeAreExact) {
    for (const std::int64_t start : {(std::int64_t{1} << 31) - 1, (std::int64_t{1} << 53) - 1}) {
        for (std::int64_t i = 0; i < 3; ++i) {
            const std::string id = std::to_string(start + i);
            EXPECT_EQ(one(event({.id = id, .effect = id, .sequence = start + i})).outcome,
                      Outcome::applied);
            EXPECT_EQ(database.value("SELECT last_event_sequence FROM balances"), id);
        }
    }
}

TEST_F(Accept, ADebitMayTakeABalanceBelowZero) {
    one(event({.id = "e1", .effect = "refund/1", .action = Action::debit}));
    EXPECT_EQ(balance(), "-100");
}

TEST_F(Accept, ABalanceThatWouldOverflowIsQuarantined) {
    one(event({.id = "e1", .effect = "c/1", .amount = INT64_MAX}));
    const auto over = one(event({.id = "e2", .effect = "c/2", .amount = 1}));
    EXPECT_EQ(over.note, "balance_overflow");
    EXPECT_EQ(balance(), std::to_string(INT64_MAX));
}

TEST_F(Accept, AClearingAccountCannotBeNamed) {
    EXPECT_EQ(one(event({.id = "e1", .effect = "c/1", .account = "demo:clearing"})).note,
              "clearing_account");
}

TEST_F(Accept, ZeroIsIgnoredAndClaimsNoKey) {
    const auto zero = one(event({.id = "e1", .effect = "c/1", .amount = 0}));
    EXPECT_EQ(zero.outcome, Outcome::ignored);
    EXPECT_EQ(zero.note, "zero_amount");
    EXPECT_EQ(database.value("SELECT count(*) FROM transfers"), "0");
    EXPECT_EQ(database.value("SELECT count(*) FROM staged_jobs"), "0");
    EXPECT_EQ(one(event({.id = "e2", .effect = "c/1"})).outcome, Outcome::applied);
}

// An event with an unmet need is parked on that need.
TEST_F(Accept, ARefundBeforeItsCaptureIsParkedOnThatCapture) {
    const auto refund = one(
        event({.id = "r1", .effect = "refund/1", .action = Action::debit, .needs = {"capture/1"}}));
    EXPECT_EQ(refund.outcome, Outcome::parked);
    EXPECT_EQ(refund.note, "waiting for demo/capture/1");
    EXPECT_EQ(database.value("SELECT count(*) FROM webhook_intents WHERE wake_at IS NULL"), "0");
}

TEST_F(Accept, ARefundInAnotherCurrencyThanItsCaptureIsQuarantined) {
    one(event({"e1", "capture/1"}));
    const auto refund = one(event({.id = "r1",
                                   .effect = "refund/1",
                                   .currency = "EUR",
                                   .action = Action::debit,
                                   .needs = {"capture/1"}}));
    EXPECT_EQ(refund.note, "currency_mismatch");
}

TEST_F(Accept, IgnoredAndUnreadableEventsAreStored) {
    EXPECT_EQ(one(testing::ignored("i1")).outcome, Outcome::ignored);
    EXPECT_EQ(one(testing::unreadable("bad_amount", "x")).note, "bad_amount");
    EXPECT_TRUE(one(testing::unreadable("bad_amount", "x")).duplicate);
}

TEST_F(Accept, DuplicateInABatchDoesNotAffectTheOthers) {
    one(event({"e1", "capture/1"}));
    const auto answers =
        commit(session, {deliver({event({"e1", "capture/1"}), event({"e2", "capture/2"}),
                                  testing::unreadable("no_rule", "y")})});
    EXPECT_TRUE(answers[0][0].duplicate);
    EXPECT_EQ(answers[0][1].outcome, Outcome::applied);
    EXPECT_EQ(answers[0][2].outcome, Outcome::quarantined);
    EXPECT_EQ(balance(), "200");
}

TEST_F(Accept, TheItemsOfABatchShareTheBytesOfOneDelivery) {
    const auto first = testing::with_bytes(event({"e1", "c/1"}), "one");
    const auto second = testing::with_bytes(event({"e2", "c/2"}), "two2");
    commit(session, {deliver({first, second})});
    EXPECT_EQ(database.value("SELECT count(*) FROM webhook_deliveries"), "1");
    EXPECT_EQ(database.value(
                  "SELECT string_agg(convert_from(substring(d.body FROM i.item_offset + 1 FOR "
                  "i.item_length), 'UTF8'), ' ' ORDER BY i.event_id) FROM webhook_intents i JOIN "
                  "webhook_deliveries d USING (delivery_id)"),
              "one two2");
}

TEST_F(Accept, JobsAreStagedWithTheMoneyAndOnlyThen) {
    auto credit = event({"e1", "capture/1"});
    credit.jobs = {"notify"};
    auto twin = event({"e2", "capture/1"});
    twin.jobs = {"notify"};
    one(credit);
    one(credit);
    one(twin);
    EXPECT_EQ(database.value("SELECT count(*) FROM staged_jobs"), "1");
    EXPECT_EQ(database.value("SELECT payload->>'effect_key' FROM staged_jobs"), "demo/capture/1");
}

TEST_F(Accept, APausedProvidersEventsWaitAndAreFinishedByTheNextDelivery) {
    database.run("INSERT INTO provider_pauses VALUES ('demo', now(), 'ana', 'test')");
    EXPECT_EQ(one(event({"e1", "capture/1"})).outcome, Outcome::pending);
    EXPECT_EQ(balance(), "");
    database.run("DELETE FROM provider_pauses");
    const auto finished = one(event({"e1", "capture/1"}));
    EXPECT_EQ(finished.outcome, Outcome::applied);
    EXPECT_EQ(balance(), "100");
    EXPECT_EQ(database.value("SELECT status FROM webhook_intents"), "done");
}

TEST_F(Accept, AnEventUnderALiveLeaseIsLeftToItsHolder) {
    database.run("INSERT INTO provider_pauses VALUES ('demo', now(), 'ana', 'test')");
    one(event({"e1", "capture/1"}));
    database.run("DELETE FROM provider_pauses");
    database.run("UPDATE webhook_intents SET locked_at = now(), lease = 5");
    EXPECT_EQ(one(event({"e1", "capture/1"})).outcome, Outcome::pending);
    database.run("UPDATE webhook_intents SET locked_at = now() - interval '1 hour'");
    EXPECT_EQ(one(event({"e1", "capture/1"})).outcome, Outcome::applied);
}

TEST_F(Accept, ARolledBackBatchLeavesNothing) {
    const auto submission = deliver({event({"e1", "capture/1"})});
    {
        db::Transaction transaction(session);
        intents::accept(transaction, {&submission}, Time{});
    }
    EXPECT_EQ(database.value("SELECT count(*) FROM webhook_intents"), "0");
    EXPECT_EQ(one(event({"e1", "capture/1"})).outcome, Outcome::applied);
}

TEST_F(Accept, TheSameIdAtAnotherProviderIsAnotherEvent) {
    one(event({"e1", "capture/1"}));
    const auto other = commit(session, {deliver({event({"e1", "other/1"})}, "stripe")});
    EXPECT_EQ(other[0][0].outcome, Outcome::applied);
    EXPECT_FALSE(other[0][0].duplicate);
}

}  // namespace
}  // namespace pawl
