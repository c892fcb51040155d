// charge_order where what is known is less than it looks like: a cancel while a send is in doubt,
// "paid" without an amount, a worker that no longer holds the run, signals that were consumed.
#include <functional>
#include <utility>

#include "base/fault.hpp"
#include "base/keys.hpp"
#include "tests/integration/paying.hpp"
#include "workflows/engine/leases.hpp"
#include "workflows/operating.hpp"

namespace pawl::workflows {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Fault;

class ChargeDoubt : public Paying {
  protected:
    void cancel(const payments::Payment& payment) {
        db::in_transaction(session, [&](db::Transaction& transaction) {
            request_cancel(transaction, payment, clock.now());
        });
    }
    std::string unconsumed_signals() {
        return value("SELECT count(*) FROM workflow_signals WHERE taken_at IS NULL");
    }
    // Another process claims this process's run, and is in the middle of it.
    void let_another_claim(Engine& other) {
        let_leases_run_out();
        claiming_ = true;
        EXPECT_EQ(other.run_once(), 1U);
        claiming_ = false;
    }
    // Calls `then` when this thread reaches `point` for the first time.
    void at_first(const std::string& point, std::function<void()> then) {
        fault::set_observer([this, point, then = std::move(then), reached = false](
                                std::string_view at, std::string_view) mutable {
            if (claiming_ && at == "before_recovery_point_commit") {
                throw db::Failure(db::FailureKind::unreachable, "", "stopped in its first step");
            }
            if (at != point || std::exchange(reached, true)) return;
            then();
        });
    }
    ~ChargeDoubt() override { fault::set_observer({}); }

  private:
    bool claiming_ = false;
};

TEST_F(ChargeDoubt, CancelWhileASendIsInDoubtDoesNotCancelAsNeverSent) {
    gateway->faults = {Fault::timeout_after};
    const auto unclear = begin("o1");
    rounds();
    ASSERT_EQ(state(unclear.id), "unknown");
    ASSERT_EQ(gateway->charges[unclear.key], 1);
    cancel(unclear);
    rounds(minutes(2));
    EXPECT_NE(state(unclear.id), "canceled") << "the gateway has the money";
    EXPECT_EQ(state(unclear.id), "refunded") << "and gives it back";
    EXPECT_EQ(gateway->charges[unclear.key], 1);
    EXPECT_EQ(balance(), 0);
    expect_books_hold();
}

TEST_F(ChargeDoubt, OperatorsCancelWhileASendIsInDoubtAsksTheGatewayFirst) {
    gateway->faults = {Fault::timeout_after};
    const auto unclear = begin("o1");
    rounds();
    RunInstruction instruction;
    instruction.act = RunAct::cancel;
    instruction.run_id = std::stoll(value("SELECT run_id FROM workflow_runs"));
    instruction.principal = "ana";
    instruction.reason = "the payer changed their mind";
    ASSERT_TRUE(apply_operator_action(session, instruction, clock.now()));
    EXPECT_EQ(state(unclear.id), "unknown");
    rounds();
    EXPECT_EQ(gateway->lookups, 1);
    EXPECT_EQ(state(unclear.id), "refunded") << "the gateway had the money";
    EXPECT_EQ(balance(), 0);
    expect_books_hold();
}

TEST_F(ChargeDoubt, SuccessWithoutAnAmountCreditsNothingAndEndsWithAnOperator) {
    gateway->names_amounts = false;
    const auto silent = begin("o1");
    rounds();
    EXPECT_EQ(state(silent.id), "needs_review");
    EXPECT_EQ(value("SELECT count(*) FROM transfers"), "0");
    EXPECT_EQ(payment(silent.id).captured, 0);
    // The webhook names the amount.
    webhook("evt_success", silent);
    rounds();
    EXPECT_EQ(state(silent.id), "succeeded");
    EXPECT_EQ(balance(), 5000);
    expect_books_hold();
}

TEST_F(ChargeDoubt, SignalWithoutAnAmountCreditsNothingAndAsksTheGateway) {
    gateway->faults = {Fault::processing};
    const auto processing = begin("o1");
    rounds();
    ASSERT_EQ(state(processing.id), "processing");
    signal(processing.key);
    rounds();
    EXPECT_EQ(gateway->lookups, 1);
    EXPECT_EQ(state(processing.id), "processing");
    EXPECT_EQ(balance(), 0);
    gateway->act(processing.key);
    rounds(hours(1));
    EXPECT_EQ(state(processing.id), "succeeded");
    EXPECT_EQ(balance(), 5000);
}

TEST_F(ChargeDoubt, WorkerThatLostItsRunBetweenTwoStepsSendsNothingWhileAnotherHoldsIt) {
    const auto lost = begin("o1");
    const auto other = another_engine();
    at_first("after_recovery_point_commit", [&] { let_another_claim(*other); });
    engine->run_once();
    ASSERT_EQ(value("SELECT lease || ' ' || status || ' at ' || step FROM workflow_runs"),
              "2 running at charge")
        << "the other one is in the middle";
    EXPECT_EQ(gateway->sends.size(), 0U);
    EXPECT_EQ(value("SELECT sends FROM external_calls"), "0");
    EXPECT_EQ(stale_writes(), 1U);
    let_leases_run_out();
    other->run_once();
    EXPECT_EQ(state(lost.id), "succeeded");
    EXPECT_EQ(gateway->charges[lost.key], 1);
    EXPECT_EQ(gateway->sends.size(), 1U);
}

TEST_F(ChargeDoubt, WorkerThatLostItsRunDuringTheCallWritesNothingWhileAnotherHoldsIt) {
    const auto lost = begin("o1");
    const auto other = another_engine();
    at_first("after_call_before_record", [&] { let_another_claim(*other); });
    engine->run_once();
    EXPECT_EQ(state(lost.id), "calling");
    EXPECT_EQ(value("SELECT lease || ' ' || status || ' at ' || step FROM workflow_runs"),
              "2 running at charge");
    EXPECT_EQ(value("SELECT in_doubt AND answer IS NULL FROM external_calls"), "t");
    EXPECT_EQ(value("SELECT count(*) FROM transfers"), "0");
    EXPECT_EQ(stale_writes(), 1U);
    let_leases_run_out();
    other->run_once();
    EXPECT_EQ(state(lost.id), "succeeded");
    EXPECT_EQ(gateway->charges[lost.key], 1);
    EXPECT_EQ(balance(), 5000);
}

TEST_F(ChargeDoubt, LeaseOfARunThatAnotherHoldsIsNotRenewed) {
    begin("o1");
    database.run("UPDATE workflow_runs SET lease = 2, locked_until = 'epoch'");
    const std::int64_t run = std::stoll(value("SELECT run_id FROM workflow_runs"));
    const struct {
        std::int64_t fencing_token;
        bool renewed;
    } table[] = {{1, false}, {2, true}};
    for (const auto& [fencing_token, renewed] : table) {
        Leases ours(seconds(30), sessions, clock);
        ours.track(run, fencing_token, clock.steady());
        clock.advance(seconds(29));
        ours.renew_once(session);
        clock.advance(seconds(2));
        EXPECT_EQ(ours.is_valid(run), renewed) << fencing_token;
        EXPECT_EQ(value("SELECT locked_until > now() FROM workflow_runs"), renewed ? "t" : "f");
    }
}

TEST_F(ChargeDoubt, SignalIsConsumedOnce) {
    gateway->faults = {Fault::timeout_before};
    gateway->lookup_finds = false;
    const auto unclear = begin("o1");
    rounds();
    signal(unclear.key);
    EXPECT_EQ(unconsumed_signals(), "1");
    EXPECT_EQ(rounds(), 1U) << "the signal wakes the run once";
    EXPECT_EQ(unconsumed_signals(), "0");
    EXPECT_EQ(gateway->lookups, 1);
    EXPECT_EQ(rounds(), 0U) << "no signal has arrived";
    // The signal has led to its look-up; the next send is not turned into another one.
    rounds(minutes(2));
    EXPECT_EQ(gateway->lookups, 1);
    EXPECT_EQ(gateway->sends.size(), 2U);
    EXPECT_EQ(state(unclear.id), "succeeded");
}

TEST_F(ChargeDoubt, CreditOfAWorkflowReleasesTheWebhooksParkedOnItAtOnce) {
    const auto waited_for = begin("o1");
    const std::string capture =
        make_effect_key("test", "capture", {gateway->reference_of(waited_for.key)}).str();
    const auto park = [&](const std::string& id, std::int64_t amount) {
        providers::Event event = testing::event(
            {.id = id, .effect = id, .amount = amount, .action = providers::Action::debit});
        event.movements.at(0).effect_key = EffectKey("test/refund/" + id);
        event.needs = {EffectKey(capture)};
        auto submission = testing::deliver({event}, "test");
        submission.books = "test";
        EXPECT_EQ(testing::commit(session, {submission})[0][0].outcome, ledger::Outcome::parked);
    };
    park("r1", 30);
    park("r2", 12);
    engine->run_once();
    EXPECT_EQ(state(waited_for.id), "partially_refunded");
    EXPECT_EQ(value("SELECT string_agg(event_id || ' ' || outcome, ', ' ORDER BY event_id) "
                    "FROM webhook_intents"),
              "r1 applied, r2 applied");
    EXPECT_EQ(value("SELECT count(*) FROM effect_waits"), "0");
    EXPECT_EQ(value("SELECT count(DISTINCT xmin::text) FROM transfers"), "1")
        << "not in the transaction of the credit";
    EXPECT_EQ(balance(), 5000 - 30 - 12);
    expect_books_hold();
}

}  // namespace
}  // namespace pawl::workflows
