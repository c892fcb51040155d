// charge_order with a crash at each point and each kind of gateway answer.
#include "base/fault.hpp"
#include "intents/queries/views.hpp"
#include "tests/integration/paying.hpp"

namespace pawl::workflows {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Fault;

class Charging : public Paying {};

TEST_F(Charging, AnOrderIsChargedOnceAndCreditedOnce) {
    const auto paid = begin("o1");
    rounds();
    EXPECT_EQ(state(paid.id), "succeeded");
    EXPECT_EQ(gateway->charges["pay:o1:1"], 1);
    EXPECT_EQ(balance(), 5000);
    EXPECT_EQ(value("SELECT string_agg(effect_key, ',') FROM transfers"),
              "test/capture/ref_pay%3Ao1%3A1");
    EXPECT_EQ(value("SELECT status FROM workflow_runs"), "done");
    EXPECT_EQ(value("SELECT count(*) FROM staged_jobs WHERE payload ->> 'type' = "
                    "'payment.succeeded'"),
              "1");
    expect_books_hold();
}

TEST_F(Charging, CorrelationIdOfARunIsOnItsCallsAndMessages) {
    gateway->faults = {Fault::timeout_after};
    begin("o1");
    rounds();
    rounds(minutes(2));
    EXPECT_EQ(gateway->correlation_ids, (std::vector<std::string>{"c", "c"}));
    EXPECT_EQ(value("SELECT string_agg(DISTINCT correlation_id, ' ') FROM external_calls"), "c");
    EXPECT_EQ(value("SELECT string_agg(DISTINCT correlation_id, ' ') FROM staged_jobs"), "c");
}

TEST_F(Charging, EventLeadsToTheRunThatItSignaledAndToItsCalls) {
    const auto paid = begin("o1");
    rounds();
    webhook("evt_told", paid);
    database.run(
        "INSERT INTO jobs (id, kind, payload, correlation_id, run_at, staged_at) SELECT id, kind, "
        "payload, correlation_id, staged_at, staged_at FROM staged_jobs");
    const std::string told = intents::describe_intent(session, "test", "evt_told").value_or("");
    EXPECT_NE(told.find(R"("workflow": "charge_order")"), told.npos) << told;
    EXPECT_NE(told.find(R"("operation": "charge")"), told.npos) << told;
    EXPECT_NE(told.find(R"("state": "ready")"), told.npos) << told;
}

TEST_F(Charging, TimeoutAfterTheChargeIsResentUnderItsKeyAndChargesOnce) {
    gateway->faults = {Fault::timeout_after};
    const auto paid = begin("o1");
    rounds();
    EXPECT_EQ(state(paid.id), "unknown");
    EXPECT_EQ(balance(), 0);
    rounds(minutes(2));
    EXPECT_EQ(state(paid.id), "succeeded");
    EXPECT_EQ(gateway->charges["pay:o1:1"], 1);
    EXPECT_EQ(gateway->sends.size(), 2U);
    EXPECT_EQ(balance(), 5000);
}

TEST_F(Charging, NoTransactionIsOpenWhileACallIsInFlight) {
    std::string open = "not asked";
    gateway->during_send = [&] {
        open = value(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
            "AND pid <> pg_backend_pid() AND state LIKE 'idle in transaction%'");
    };
    begin("o1");
    rounds();
    EXPECT_EQ(open, "0");
}

TEST_F(Charging, WorkerThatLostTheLeaseWritesAndSendsNothing) {
    const auto paid = begin("o1");
    auto other = another_engine();
    bool first = true;
    gateway->during_send = [&] {
        if (!std::exchange(first, false)) return;
        let_leases_run_out();  // this process is suspended, and another one continues
        other->run_once();
    };
    rounds();
    EXPECT_EQ(stale_writes(), 1U);
    EXPECT_EQ(state(paid.id), "succeeded");
    EXPECT_EQ(gateway->charges["pay:o1:1"], 1);
    EXPECT_EQ(balance(), 5000);
    EXPECT_EQ(value("SELECT lease FROM workflow_runs"), "2");
    expect_books_hold();
}

TEST_F(Charging, RunUnderALiveLeaseIsNotClaimed) {
    begin("o1");
    auto other = another_engine();
    std::optional<std::size_t> claimed;
    gateway->during_send = [&] {
        if (!std::exchange(claimed, 1U)) claimed = other->run_once();
    };
    rounds();
    EXPECT_EQ(claimed, 0U);
    EXPECT_EQ(value("SELECT lease FROM workflow_runs"), "1");
}

TEST_F(Charging, AWorkerThatStoodStillPastItsLeaseSendsNothing) {
    begin("o1");
    // Between the commit that announces the send and the send, longer than the lease lasts.
    fault::set_observer([&](std::string_view point, std::string_view) {
        if (point == "after_pin_before_call") clock.advance(minutes(1));
    });
    engine->run_once();
    fault::set_observer({});
    EXPECT_EQ(gateway->sends.size(), 0U);
    EXPECT_EQ(stale_writes(), 1U);
}

TEST_F(Charging, ARefusalOfASecondSendSaysNothingAboutTheFirst) {
    for (const Fault second : {Fault::too_many, Fault::unauthorized, Fault::conflict}) {
        const std::string order = "o" + std::to_string(static_cast<int>(second));
        gateway->faults = {Fault::timeout_after, second};
        const auto paid = begin(order);
        rounds();
        rounds(minutes(2));
        EXPECT_EQ(state(paid.id), "unknown") << order;
        rounds(minutes(2));
        EXPECT_EQ(state(paid.id), "succeeded") << order;
        EXPECT_EQ(gateway->charges["pay:" + order + ":1"], 1);
    }
}

TEST_F(Charging, ARefusalOfTheFirstSendIsTriedAgainUnderTheSameAttemptAndKey) {
    gateway->faults = {Fault::too_many, Fault::unauthorized};
    const auto paid = begin("o1");
    rounds();
    EXPECT_EQ(state(paid.id), "calling");
    EXPECT_EQ(value("SELECT in_doubt FROM external_calls"), "f");
    pass_until_settled(paid.id, minutes(5));
    EXPECT_EQ(state(paid.id), "succeeded");
    EXPECT_EQ(payment(paid.id).attempt, 1);
}

TEST_F(Charging, AfterItsHorizonACallIsLookedUpAndNeverSentAgain) {
    gateway->faults = {Fault::timeout_after};
    const auto paid = begin("o1");
    rounds();
    gateway->forgets_keys = true;
    rounds(hours(25));
    rounds(minutes(1));
    EXPECT_EQ(state(paid.id), "succeeded");
    EXPECT_EQ(gateway->sends.size(), 1U);
    EXPECT_EQ(gateway->charges["pay:o1:1"], 1);
    EXPECT_EQ(balance(), 5000);
}

TEST_F(Charging, CallNotFoundAfterItsHorizonNeedsReviewAndIsNeverResent) {
    gateway->faults = {Fault::timeout_after};
    gateway->lookup_finds = false;
    const auto paid = begin("o1");
    rounds();
    gateway->forgets_keys = true;
    let_pass(hours(25));
    pass_until_settled(paid.id, hours(1));
    EXPECT_EQ(state(paid.id), "needs_review");
    EXPECT_EQ(gateway->sends.size(), 1U);
    EXPECT_EQ(value("SELECT status FROM workflow_runs"), "needs_review");
    // A webhook that comes even later settles it.
    webhook("late", paid);
    rounds();
    EXPECT_EQ(state(paid.id), "succeeded");
    EXPECT_EQ(balance(), 5000);
    expect_books_hold();
}

TEST_F(Charging, ASecondSendHasTheSameBytesWhateverChangedMeanwhile) {
    gateway->faults = {Fault::timeout_before};
    begin("o1");
    rounds();
    database.run("UPDATE payments SET amount = 1, account = 'user:2'");
    rounds(minutes(2));
    ASSERT_EQ(gateway->sends.size(), 2U);
    EXPECT_EQ(gateway->sends[0].body, gateway->sends[1].body);
    EXPECT_EQ(gateway->sends[0].key, gateway->sends[1].key);
}

TEST_F(Charging, ADeclineIsFinalAndTheNextAttemptHasANumberAndAKeyOfItsOwn) {
    gateway->faults = {Fault::declined};
    const auto first = begin("o1");
    rounds();
    EXPECT_EQ(state(first.id), "declined");
    EXPECT_EQ(value("SELECT count(*) FROM staged_jobs WHERE payload ->> 'type' = "
                    "'payment.declined'"),
              "1");
    const auto second = begin("o1");
    rounds();
    EXPECT_EQ(second.key, "pay:o1:2");
    EXPECT_EQ(state(second.id), "succeeded");
    EXPECT_EQ(balance(), 5000);
}

TEST_F(Charging, SecondAttemptThatSucceedsLateIsCreditedAndFlagged) {
    gateway->faults = {Fault::declined};
    const auto first = begin("o1");
    rounds();
    begin("o1");
    rounds();
    webhook("late", first);
    rounds();
    EXPECT_EQ(state(first.id), "succeeded");
    EXPECT_TRUE(payment(first.id).overpaid);
    EXPECT_EQ(balance(), 10000);
    expect_books_hold();
}

TEST_F(Charging, MovedAmountIsCreditedInsteadOfTheRequestedOne) {
    gateway->moves_less = 100;
    const auto paid = begin("o1");
    rounds();
    EXPECT_EQ(state(paid.id), "succeeded");
    EXPECT_EQ(balance(), 4900);
    EXPECT_EQ(payment(paid.id).captured, 4900);
    expect_books_hold();
}

TEST_F(Charging, PayersActionIsDetectedAndItsAbsenceCancelsThePayment) {
    gateway->faults = {Fault::requires_action, Fault::requires_action};
    const auto acts = begin("o1");
    const auto sleeps = begin("o2");
    rounds();
    EXPECT_EQ(state(acts.id), "requires_action");
    EXPECT_EQ(payment(acts.id).next_action.find("redirect") == std::string::npos, false);
    gateway->act("pay:o1:1");
    rounds(minutes(1));
    EXPECT_EQ(state(acts.id), "succeeded");
    rounds(hours(25));
    EXPECT_EQ(state(sleeps.id), "canceled");
    EXPECT_EQ(balance(), 5000);
}

TEST_F(Charging, ACancelOfAnAttemptThatWasNotSentSendsNothing) {
    const auto unsent = begin("o1");
    db::in_transaction(session, [&](db::Transaction& transaction) {
        request_cancel(transaction, unsent, clock.now());
    });
    rounds();
    EXPECT_EQ(state(unsent.id), "canceled");
    EXPECT_EQ(gateway->sends.size(), 0U);
}

TEST_F(Charging, RunThatCrashesEachProcessNeedsReview) {
    const auto paid = begin("o1");
    for (int i = 0; i < 8; ++i) {  // claimed, and then its process ended
        database.run("UPDATE workflow_runs SET lease = lease + 1, attempts = attempts + 1");
    }
    rounds();
    EXPECT_EQ(value("SELECT status FROM workflow_runs"), "needs_review");
    EXPECT_EQ(state(paid.id), "needs_review");
    EXPECT_EQ(gateway->sends.size(), 0U);
}

TEST_F(Charging, AnUnfinishedRunWithoutATimeToWakeCannotBeWritten) {
    begin("o1");
    EXPECT_THROW(database.run("UPDATE workflow_runs SET wake_at = NULL"), db::Failure);
}

TEST_F(Charging, GatewayOutageOfAnHourLosesNoPaymentAndDelaysNoOther) {
    auto& other = add_gateway("other");
    gateway->down = true;
    std::vector<std::string> waiting;
    for (int i = 0; i < 20; ++i) waiting.push_back(begin("o" + std::to_string(i)).id);
    for (int minute = 0; minute < 60; ++minute) {
        const auto paid = begin("other" + std::to_string(minute), "other");
        rounds(minutes(1));
        EXPECT_EQ(state(paid.id), "succeeded");
    }
    EXPECT_EQ(other.charges.size(), 60U);
    // Asked about once a minute each, and not in a circle.
    EXPECT_LT(gateway->sends.size(), 20U * 70U);
    gateway->down = false;
    for (int i = 0; i < 3; ++i) rounds(minutes(1));
    for (const std::string& id : waiting) EXPECT_EQ(state(id), "succeeded");
    EXPECT_EQ(gateway->charges.size(), 20U);
    expect_books_hold();
}

TEST_F(Charging, RunsAtAnUnknownStepAreRefusedUnlessTheStepIsMapped) {
    begin("o1");
    EXPECT_TRUE(engine->check(session).ok());
    database.run("UPDATE workflow_runs SET step = 'pay_up'");
    const auto refused = engine->check(session);
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("pay_up"), std::string::npos);

    Workflow changed = charge_order(*parts);
    changed.renamed = {{"pay_up", "prepare"}};
    Engine next({}, {changed}, sessions, clock, metrics);
    EXPECT_TRUE(next.check(session).ok());
}

}  // namespace
}  // namespace pawl::workflows
