// Every order in which the things that happen to one payment can happen: the API's answer, the
// success webhook, its duplicate, the end of the process, a look-up. One credit and one state, each
// time. And what an operator may do.
#include <algorithm>
#include <array>

#include "tests/integration/paying.hpp"
#include "workflows/operating.hpp"

namespace pawl::workflows {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::Fault;

class ChargeOrders : public Paying {
  protected:
    enum class Happens { answer, webhook, duplicate, crash, look_up };
    void happen(Happens what, const payments::Payment& about) {
        switch (what) {
            case Happens::answer:
                rounds(minutes(2));
                break;
            case Happens::webhook:
                webhook("evt_success", about);
                break;
            case Happens::duplicate:
                webhook("evt_success_again", about);
                break;
            case Happens::crash:
                clock.advance(minutes(2));
                crash_at("after_call_before_record");
                break;
            case Happens::look_up:
                database.run(
                    "UPDATE workflow_runs SET step = 'look_up', wake_at = now() "
                    "WHERE status = 'running' AND EXISTS (SELECT FROM external_calls "
                    "WHERE sends > 0)");
                rounds(minutes(2));
                break;
        }
    }

    RunChange operate(RunAct act, const std::string& outcome = "",
                      const std::string& reference = "") {
        RunInstruction instruction;
        instruction.act = act;
        instruction.run_id = std::stoll(value("SELECT min(run_id) FROM workflow_runs"));
        instruction.principal = "ana";
        instruction.reason = "looked it up";
        instruction.outcome = outcome;
        instruction.reference = reference;
        const auto change = apply_operator_action(session, instruction, clock.now());
        EXPECT_TRUE(change.ok()) << (change ? "" : change.error().message);
        return change ? *change : RunChange{};
    }
    // Sent, never answered, and not found after its horizon.
    payments::Payment in_review() {
        gateway->faults = {Fault::timeout_after};
        gateway->lookup_finds = false;
        const auto paid = begin("o1");
        rounds();
        gateway->forgets_keys = true;
        let_pass(hours(25));
        pass_until_settled(paid.id, hours(1));
        EXPECT_EQ(state(paid.id), "needs_review");
        return paid;
    }
};

TEST_F(ChargeOrders, EveryPermutationOfWhatHappensEndsInOneCreditAndOneState) {
    std::array<Happens, 5> order{Happens::answer, Happens::webhook, Happens::duplicate,
                                 Happens::crash, Happens::look_up};
    int number = 0;
    do {
        const std::string name = "o" + std::to_string(++number);
        // The first send is executed and never answered, so that the later steps decide.
        gateway->faults = {Fault::timeout_after};
        const auto paid = begin(name);
        rounds();
        for (const Happens what : order) happen(what, paid);
        rounds(minutes(2));
        EXPECT_EQ(state(paid.id), "succeeded") << number;
        EXPECT_EQ(gateway->charges[paid.key], 1) << number;
        EXPECT_EQ(balance(), 5000 * number) << number;
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_EQ(number, 120);
    EXPECT_EQ(value("SELECT count(*) FROM transfers"), "120");
    EXPECT_EQ(value("SELECT count(*) FROM staged_jobs WHERE payload ->> 'type' = "
                    "'payment.succeeded'"),
              "120");
    expect_books_hold();
}

TEST_F(ChargeOrders, AProcessThatEndsAtAnyPointOfAStepLosesAndDoublesNothing) {
    int number = 0;
    for (const char* point :
         {"after_claim_before_step", "before_recovery_point_commit", "after_recovery_point_commit",
          "after_pin_before_call", "after_call_before_record"}) {
        for (int times = 1; times <= 3; ++times) {
            const std::string name = "o" + std::to_string(++number);
            const auto paid = begin(name);
            for (int i = 0; i < times; ++i) {
                crash_at(point);
                clock.advance(minutes(2));
            }
            rounds(minutes(2));
            EXPECT_EQ(state(paid.id), "succeeded") << point << " " << times;
            EXPECT_EQ(gateway->charges[paid.key], 1) << point << " " << times;
            EXPECT_EQ(balance(), 5000 * number) << point << " " << times;
        }
    }
    expect_books_hold();
}

TEST_F(ChargeOrders, AnOperatorBeginsTheNextAttemptWithAReason) {
    const auto stuck = in_review();
    gateway->forgets_keys = false;
    const RunChange change = operate(RunAct::new_attempt);
    EXPECT_EQ(state(stuck.id), "canceled");
    rounds();
    EXPECT_EQ(payment(change.new_payment).key, "pay:o1:2");
    EXPECT_EQ(state(change.new_payment), "succeeded");
    EXPECT_EQ(value("SELECT reason FROM audit_log WHERE action = 'workflow.new-attempt'"),
              "looked it up");
    // And should the first one have been charged after all, that is seen.
    webhook("late", stuck);
    rounds();
    EXPECT_TRUE(payment(stuck.id).overpaid);
    EXPECT_EQ(balance(), 10000);
    expect_books_hold();
}

TEST_F(ChargeOrders, AnOperatorSaysHowItWent) {
    const auto paid = in_review();
    gateway->lookup_finds = true;
    operate(RunAct::resolve, "succeeded", "ref_" + paid.key);
    rounds();
    EXPECT_EQ(state(paid.id), "succeeded");
    EXPECT_EQ(balance(), 5000);
    EXPECT_EQ(gateway->sends.size(), 1U);
    webhook("late", paid);  // of the same payment: the effect is in the books
    rounds();
    EXPECT_EQ(balance(), 5000);
    expect_books_hold();
}

TEST_F(ChargeOrders, OperatorResolvesAPaymentAsFailed) {
    const auto paid = in_review();
    operate(RunAct::resolve, "failed");
    EXPECT_EQ(state(paid.id), "failed");
    EXPECT_EQ(value("SELECT status FROM workflow_runs"), "done");
    EXPECT_EQ(balance(), 0);
}

TEST_F(ChargeOrders, OperatorActionTakesTheRunFromItsWorker) {
    const auto paid = begin("o1");
    gateway->during_send = [&] { operate(RunAct::resume); };
    engine->run_once();
    gateway->during_send = {};
    EXPECT_EQ(stale_writes(), 1U);
    rounds(minutes(2));
    EXPECT_EQ(state(paid.id), "succeeded");
    EXPECT_EQ(gateway->charges[paid.key], 1);
}

}  // namespace
}  // namespace pawl::workflows
