// Without a gateway that answers, an operator resolves by force: `verify` lists it until a webhook
// has confirmed it.
#include "intents/queries/attention.hpp"
#include "tests/integration/paying.hpp"
#include "workflows/engine/runs.hpp"
#include "workflows/operating.hpp"

namespace pawl::workflows {
namespace {

using std::chrono::hours;
using testing::Fault;

class Forcing : public Paying {
  protected:
    payments::Payment in_review() {
        gateway->faults = {Fault::timeout_after};
        gateway->lookup_finds = false;
        const auto begun = begin("o1");
        rounds();
        let_pass(hours(25));
        pass_until_settled(begun.id, hours(1));
        return begun;
    }
    Result<RunChange> force(const payments::Payment& payment, const std::string& reference) {
        return resolve_call(payment.key, "succeeded", reference, true);
    }
    Result<RunChange> operate(const payments::Payment& payment, RunAct act) {
        RunInstruction instruction;
        instruction.act = act;
        instruction.run_id = std::stoll(
            value("SELECT run_id FROM workflow_runs WHERE signal_key = '" + payment.key + "'"));
        instruction.principal = "ana";
        instruction.reason = "looked it up";
        return apply_operator_action(session, instruction, clock.now());
    }
    std::string attention() {
        std::string all;
        const intents::AttentionFilter filter{clock.now(), {{"test"}, {}}, {}, "", 9};
        const auto page = intents::list_attention(session, filter).value();
        for (const auto& one : page.items) {
            all += one.kind + " " + one.reason.value_or("");
        }
        return all;
    }
    std::size_t listed() {
        for (const auto& invariant : intents::verify(session)) {
            if (invariant.name == "resolved_by_force") return invariant.breaches.size();
        }
        return 99;
    }
};

TEST_F(Forcing, SettlesWithoutTheGatewayAndIsListedUntilAWebhookConfirmsIt) {
    const auto unclear = in_review();
    gateway->down = true;
    ASSERT_TRUE(force(unclear, gateway->reference_of(unclear.key)).ok());
    rounds();
    EXPECT_EQ(state(unclear.id), "succeeded");
    EXPECT_EQ(balance(), 5000);
    EXPECT_EQ(listed(), 1U);
    webhook("evt_late", unclear);
    rounds();
    EXPECT_EQ(listed(), 0U);
    EXPECT_EQ(balance(), 5000);
    expect_books_hold();
}

TEST_F(Forcing, AReportOfAnotherAmountConfirmsNothingAndIsForAnOperator) {
    const auto unclear = in_review();
    gateway->down = true;
    ASSERT_TRUE(force(unclear, gateway->reference_of(unclear.key)).ok());
    rounds();
    EXPECT_EQ(attention(), "forced resolved as succeeded by ana");
    signal(unclear.key, 3000);
    rounds();
    EXPECT_EQ(listed(), 1U);
    EXPECT_EQ(attention(), "forced test/evt_told reports 30.00 USD, 50.00 USD was resolved");
    signal(unclear.key, Money{5000, Currency::parse("EUR").value()}, "");
    signal(unclear.key);
    rounds();
    EXPECT_EQ(listed(), 1U);
    signal(unclear.key, 5000);
    rounds();
    EXPECT_EQ(listed(), 0U);
    EXPECT_EQ(attention(), "");
    EXPECT_EQ(balance(), 5000);
    expect_books_hold();
}

TEST_F(Forcing, AnEndByAnOperatorsWordIsListedUntilTheGatewayConfirmsIt) {
    const auto unclear = in_review();
    ASSERT_TRUE(resolve_call(unclear.key, "declined", "", true).ok());
    EXPECT_EQ(state(unclear.id), "declined");
    EXPECT_EQ(listed(), 1U);
    EXPECT_EQ(attention(), "forced resolved as declined by ana");
    gateway->lookup_finds = true;
    gateway->expire(unclear.key);  // canceled there
    signal(unclear.key);
    rounds();
    EXPECT_EQ(listed(), 0U);
    EXPECT_EQ(attention(), "");
    EXPECT_EQ(state(unclear.id), "declined");
    EXPECT_EQ(balance(), 0);
    expect_books_hold();
}

TEST_F(Forcing, AnEndByAnOperatorsWordIsOverruledByTheReportOfItsMoney) {
    const auto unclear = in_review();
    ASSERT_TRUE(resolve_call(unclear.key, "failed", "", true).ok());
    EXPECT_EQ(listed(), 1U);
    webhook("evt_late", unclear);
    rounds();
    EXPECT_EQ(state(unclear.id), "succeeded");
    EXPECT_EQ(listed(), 0U);
    EXPECT_EQ(balance(), 5000);
    expect_books_hold();
}

TEST_F(Forcing, ANewAttemptAfterACallInDoubtIsListed) {
    const auto unclear = in_review();
    ASSERT_TRUE(operate(unclear, RunAct::new_attempt).ok());
    EXPECT_EQ(attention(), "forced resolved as canceled by ana");
}

TEST_F(Forcing, AnEndedRunIsResumedToAskTheGatewayAndNeverSendsAgain) {
    gateway->faults = {Fault::timeout_before};
    const auto unclear = begin("o1");
    rounds();
    ASSERT_TRUE(resolve_call(unclear.key, "declined", "", true).ok());
    ASSERT_EQ(gateway->sends_of(unclear.key), 1);
    ASSERT_TRUE(operate(unclear, RunAct::resume).ok());
    pass_until_settled(unclear.id, hours(1), 3);
    for (int i = 0; i < 9; ++i) rounds(hours(1));
    EXPECT_EQ(gateway->sends_of(unclear.key), 1) << "inside its horizon, not found there";
    EXPECT_EQ(balance(), 0);
    expect_books_hold();
}

// Its money is posted: a lookup that does not find it neither sends it nor removes it from the
// list.
TEST_F(Forcing, ASuccessThatTheGatewayDeniesIsNeverSentAndStaysListed) {
    gateway->faults = {Fault::timeout_before};
    const auto unclear = begin("o1");
    rounds();
    ASSERT_TRUE(force(unclear, "pi_nope").ok());
    rounds();
    ASSERT_EQ(balance(), 5000);
    EXPECT_FALSE(operate(unclear, RunAct::resume).ok());
    signal(unclear.key);
    for (int i = 0; i < 9; ++i) rounds(hours(1));
    EXPECT_EQ(gateway->sends_of(unclear.key), 1);
    EXPECT_EQ(state(unclear.id), "succeeded");
    EXPECT_EQ(balance(), 5000);
    EXPECT_EQ(listed(), 1U);
}

// As a provider's hint about a payment that an operator has given up for another attempt.
TEST_F(Forcing, ASignalAboutAnAttemptThatWasGivenUpSendsNothing) {
    gateway->faults = {Fault::timeout_before};
    const auto unclear = begin("o1");
    rounds();
    ASSERT_TRUE(operate(unclear, RunAct::new_attempt).ok());
    rounds();
    signal(unclear.key);
    for (int i = 0; i < 9; ++i) rounds(hours(1));
    EXPECT_EQ(gateway->sends_of(unclear.key), 1);
    EXPECT_EQ(balance(), 5000);
}

TEST_F(Forcing, AnEndThatTheGatewayAnsweredIsNotListed) {
    gateway->faults = {Fault::declined};
    const auto declined = begin("o1");
    rounds();
    EXPECT_EQ(state(declined.id), "declined");
    const auto refused = operate(declined, RunAct::resume);
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("pawl transfers correct"), std::string::npos)
        << refused.error().message;
    EXPECT_EQ(listed(), 0U);
}

TEST_F(Forcing, AcceptsMoneyInAnotherCurrencyAndClosesThePayment) {
    gateway->faults = {Fault::processing};
    const auto begun = begin("o1");
    rounds();
    signal(begun.key, Money{4500, Currency::parse("EUR").value()},
           gateway->reference_of(begun.key));
    rounds();
    ASSERT_EQ(state(begun.id), "needs_review");
    ASSERT_TRUE(force(begun, "").ok());
    EXPECT_EQ(state(begun.id), "succeeded");
    EXPECT_EQ(value("SELECT state FROM orders"), "open");
    EXPECT_EQ(value("SELECT status FROM workflow_runs"), "done");
    expect_books_hold();
}

}  // namespace
}  // namespace pawl::workflows
