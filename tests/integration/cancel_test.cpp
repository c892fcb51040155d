// Accepted cancels: no call that could charge is sent any more, calls in doubt are looked up, and a
// charge that was executed even so is refunded.
#include "tests/integration/paying.hpp"

namespace pawl::workflows {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::Fault;

class Canceling : public Paying {
  protected:
    void cancel(const payments::Payment& payment) {
        db::in_transaction(session, [&](db::Transaction& transaction) {
            request_cancel(transaction, payment, clock.now());
        });
    }
};

TEST_F(Canceling, ChargeInDoubtIsLookedUpAndNeverSentAgain) {
    gateway->faults = {Fault::timeout_before};
    const auto unclear = begin("o1");
    rounds();
    cancel(unclear);
    for (int i = 0; i < 20; ++i) rounds(minutes(31));
    EXPECT_EQ(gateway->sends_of(unclear.key), 1);
    EXPECT_EQ(gateway->charges[unclear.key], 0) << "charged after its cancel was accepted";
    EXPECT_EQ(state(unclear.id), "needs_review") << "not found does not prove that it was not sent";
    EXPECT_EQ(balance(), 0);
}

TEST_F(Canceling, ExecutedChargeIsRefundedAndThePaymentRecordsIt) {
    gateway->faults = {Fault::timeout_after};
    const auto charged = begin("o1");
    rounds();
    cancel(charged);
    for (int i = 0; i < 3; ++i) rounds(minutes(2));
    EXPECT_EQ(gateway->sends_of(charged.key), 1);
    EXPECT_EQ(state(charged.id), "refunded");
    EXPECT_EQ(gateway->refunds_done["refund:o1:1"], 1);
    EXPECT_EQ(balance(), 0);
    EXPECT_EQ(value("SELECT count(*) FROM transfers"), "2");
    EXPECT_NE(payment(charged.id).note.find("cancel"), std::string::npos);
    expect_books_hold();
}

TEST_F(Canceling, RefundOfAnExecutedChargeThatFailsIsForAnOperator) {
    gateway->faults = {Fault::timeout_after, Fault::declined};
    const auto charged = begin("o1");
    rounds();
    cancel(charged);
    for (int i = 0; i < 3; ++i) rounds(minutes(2));
    EXPECT_EQ(state(charged.id), "succeeded");
    EXPECT_EQ(value("SELECT state FROM refunds"), "needs_review");
    EXPECT_EQ(value("SELECT status FROM workflow_runs WHERE workflow = 'refund_payment'"),
              "needs_review");
    EXPECT_TRUE(resolve_call("refund:o1:1", "failed", "").ok());
    EXPECT_EQ(value("SELECT state FROM refunds"), "failed");
    expect_books_hold();
}

TEST_F(Canceling, RefusedChargeIsNotSentAgainAndEndsAsCanceled) {
    gateway->faults = {Fault::too_many};
    const auto refused = begin("o1");
    rounds();
    cancel(refused);
    rounds(minutes(6));
    EXPECT_EQ(gateway->sends_of(refused.key), 1);
    EXPECT_EQ(state(refused.id), "canceled");
}

TEST_F(Canceling, PaymentThatNeedsReviewIsWorkedOnAgain) {
    gateway->faults = {Fault::timeout_after};
    gateway->lookup_finds = false;
    const auto stuck = begin("o1");
    rounds();
    gateway->forgets_keys = true;
    let_pass(hours(25));
    pass_until_settled(stuck.id, hours(1));
    ASSERT_EQ(state(stuck.id), "needs_review");
    const int lookups = gateway->lookups;
    cancel(stuck);
    EXPECT_GT(rounds(), 0U) << "the cancel was accepted and wakes nothing";
    EXPECT_GT(gateway->lookups, lookups);
    // The lookup now finds the charge, which is refunded.
    gateway->lookup_finds = true;
    cancel(stuck);
    for (int i = 0; i < 3; ++i) rounds(hours(1));
    EXPECT_EQ(state(stuck.id), "refunded");
    EXPECT_EQ(balance(), 0);
}

TEST_F(Canceling, PayerCannotCompleteACanceledPayment) {
    gateway->faults = {Fault::requires_action};
    const auto waiting = begin("o1");
    rounds();
    cancel(waiting);
    rounds();
    EXPECT_EQ(state(waiting.id), "canceled");
    EXPECT_EQ(gateway->sends_of("cancel:o1:1"), 1) << "under the cancel's own key";
}

// The cancel's first answer is lost and its second is a stored 500: a look-up finds the result.
TEST_F(Canceling, DeclineThatIsCanceledAtTheGatewayStaysADecline) {
    gateway->declines_stay_open = true;
    gateway->faults = {Fault::declined, Fault::timeout_after, Fault::stored_error};
    const auto declined = begin("o1");
    for (int i = 0; i < 5; ++i) rounds(minutes(2));
    EXPECT_EQ(gateway->sends_of("cancel:o1:1"), 2);
    EXPECT_EQ(state(declined.id), "declined");
}

}  // namespace
}  // namespace pawl::workflows
