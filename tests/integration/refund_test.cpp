// refund_payment where the gateway does not simply say yes: outcomes that are unknown, looked up,
// not found, of another amount or of none.
#include "tests/integration/paying.hpp"

namespace pawl::workflows {
namespace {

using payments::NotRefundable;
using std::chrono::hours;
using std::chrono::minutes;
using testing::Fault;

class Refunding : public Paying {
  protected:
    // A refund whose first send meets `fault`, after one round.
    payments::Refund refund_with(Fault fault, std::int64_t amount = 3000) {
        charged = paid();
        gateway->faults = {fault};
        const auto begun = std::get<payments::Refund>(begin_refund(charged, amount));
        rounds();
        return refund(begun.id);
    }
    std::int64_t refundable() {
        const auto refused = begin_refund(charged, charged.captured + 1);
        EXPECT_TRUE(std::holds_alternative<NotRefundable>(refused));
        return std::get<NotRefundable>(refused).left;
    }
    std::string run_of(const payments::Refund& refund) {
        return value("SELECT status || ' at ' || step FROM workflow_runs WHERE key = '" +
                     refund.key + "'");
    }
    void pass(Duration step, int steps) {
        for (int i = 0; i < steps; ++i) rounds(step);
    }
    payments::Payment charged;
};

TEST_F(Refunding, SucceededRefundDebitsTheAccountOnce) {
    const auto done = refund_with(Fault::none);
    EXPECT_EQ(refund_state(done.id), "succeeded");
    EXPECT_EQ(gateway->refunds_done[done.key], 1);
    EXPECT_EQ(balance(), 2000);
    EXPECT_EQ(state(charged.id), "partially_refunded");
    EXPECT_EQ(rounds(hours(1)), 0U);
    expect_books_hold();
}

TEST_F(Refunding, UnknownOutcomeKeepsItsPartOfTheCeilingUntilItIsSettled) {
    const auto unclear = refund_with(Fault::timeout_after);
    EXPECT_EQ(refund_state(unclear.id), "unknown");
    EXPECT_EQ(balance(), 5000);
    EXPECT_EQ(refundable(), 2000);
    rounds(minutes(2));
    EXPECT_EQ(refund_state(unclear.id), "succeeded");
    EXPECT_EQ(gateway->sends_of(unclear.key), 2);
    EXPECT_EQ(gateway->refunds_done[unclear.key], 1);
    EXPECT_EQ(balance(), 2000);
    EXPECT_EQ(refundable(), 2000);
    expect_books_hold();
}

TEST_F(Refunding, RejectionWhileAnEarlierSendIsInDoubtSaysNothingAboutIt) {
    const auto unclear = refund_with(Fault::timeout_after);
    for (const Fault fault : {Fault::too_many, Fault::unauthorized, Fault::conflict}) {
        gateway->faults = {fault};
        rounds(minutes(2));
        EXPECT_EQ(refund_state(unclear.id), "unknown");
        EXPECT_EQ(refundable(), 2000);
    }
    rounds(minutes(2));
    EXPECT_EQ(refund_state(unclear.id), "succeeded");
    EXPECT_EQ(gateway->refunds_done[unclear.key], 1);
}

TEST_F(Refunding, RejectionOfTheOnlySendIsTriedAgainUnderTheSameKey) {
    const auto rejected = refund_with(Fault::too_many);
    EXPECT_EQ(refund_state(rejected.id), "calling");
    rounds(minutes(6));
    EXPECT_EQ(refund_state(rejected.id), "succeeded");
    EXPECT_EQ(gateway->sends_of(rejected.key), 2);
    EXPECT_EQ(gateway->refunds_done[rejected.key], 1);
}

TEST_F(Refunding, FiftyRejectionsEndWithAnOperator) {
    charged = paid();
    gateway->faults.assign(200, Fault::too_many);
    const auto rejected = std::get<payments::Refund>(begin_refund(charged, 3000));
    pass(minutes(6), 100);
    EXPECT_EQ(refund_state(rejected.id), "needs_review");
    EXPECT_EQ(run_of(rejected), "needs_review at refund");
    EXPECT_EQ(gateway->sends_of(rejected.key), 50);
    EXPECT_EQ(refundable(), 2000);
    EXPECT_EQ(balance(), 5000);
}

TEST_F(Refunding, DeclinedRefundFailsAndGivesItsPartOfTheCeilingBack) {
    const auto declined = refund_with(Fault::declined);
    EXPECT_EQ(refund_state(declined.id), "failed");
    EXPECT_EQ(refundable(), 5000);
    EXPECT_EQ(balance(), 5000);
}

TEST_F(Refunding, PastTheHorizonItIsLookedUpAndNeverSentAgain) {
    const auto unclear = refund_with(Fault::timeout_after);
    gateway->forgets_keys = true;  // sent again it would be a second refund
    gateway->lookup_finds = false;
    let_pass(hours(25));
    pass(minutes(1), 2);
    EXPECT_GE(gateway->lookups, 1);
    EXPECT_EQ(refund_state(unclear.id), "unknown");
    EXPECT_EQ(refundable(), 2000);
    gateway->lookup_finds = true;
    pass(minutes(30), 3);
    EXPECT_EQ(refund_state(unclear.id), "succeeded");
    EXPECT_EQ(gateway->sends_of(unclear.key), 1);
    EXPECT_EQ(gateway->refunds_done[unclear.key], 1);
    EXPECT_EQ(balance(), 2000);
    expect_books_hold();
}

TEST_F(Refunding, NotFoundPastTheHorizonEndsWithAnOperatorAndNotAsFailed) {
    const auto unclear = refund_with(Fault::timeout_after);
    gateway->forgets_keys = true;
    gateway->lookup_finds = false;
    let_pass(hours(25));
    pass(hours(1), 10);
    EXPECT_EQ(refund_state(unclear.id), "needs_review");
    EXPECT_EQ(run_of(unclear), "needs_review at look_up");
    EXPECT_EQ(gateway->sends_of(unclear.key), 1);
    EXPECT_EQ(refundable(), 2000);
    EXPECT_EQ(value("SELECT count(*) FROM staged_jobs WHERE payload ->> 'type' = "
                    "'refund.needs_review'"),
              "1");
    // A webhook that reports it even later settles it.
    signal(unclear.key, 3000);
    rounds(minutes(1));
    EXPECT_EQ(refund_state(unclear.id), "succeeded");
    EXPECT_EQ(balance(), 2000);
    expect_books_hold();
}

TEST_F(Refunding, NotFoundWithinTheHorizonIsSentAgainUnderTheSameKey) {
    const auto unclear = refund_with(Fault::stored_error);
    EXPECT_EQ(refund_state(unclear.id), "unknown");
    rounds(minutes(2));
    EXPECT_EQ(gateway->lookups, 1);
    EXPECT_EQ(gateway->sends_of(unclear.key), 1);
    EXPECT_EQ(refund_state(unclear.id), "unknown");
    rounds(minutes(2));
    EXPECT_EQ(refund_state(unclear.id), "succeeded");
    EXPECT_EQ(gateway->sends_of(unclear.key), 2);
    EXPECT_EQ(gateway->refunds_done[unclear.key], 1);
    EXPECT_EQ(balance(), 2000);
}

TEST_F(Refunding, LookupWithoutAnAnswerChangesNothingAndIsRepeated) {
    const auto processing = refund_with(Fault::processing);
    EXPECT_EQ(refund_state(processing.id), "processing");
    gateway->down = true;
    rounds(hours(1));
    pass(minutes(2), 2);
    EXPECT_EQ(gateway->lookups, 3);
    EXPECT_EQ(refund_state(processing.id), "processing");
    EXPECT_EQ(refundable(), 2000);
    gateway->down = false;
    rounds(minutes(2));
    EXPECT_EQ(gateway->lookups, 4);
    EXPECT_EQ(refund_state(processing.id), "processing");
    gateway->finish_refund(processing.key);
    rounds(hours(2));
    EXPECT_EQ(refund_state(processing.id), "succeeded");
    EXPECT_EQ(gateway->sends_of(processing.key), 1);
    EXPECT_EQ(balance(), 2000);
}

TEST_F(Refunding, AnotherAmountThanAskedIsDebitedAsMovedAndEndsWithAnOperator) {
    charged = paid();
    gateway->moves_less = 100;
    const auto less = std::get<payments::Refund>(begin_refund(charged, 3000));
    rounds();
    EXPECT_EQ(refund_state(less.id), "needs_review");
    EXPECT_EQ(run_of(less), "needs_review at settle");
    EXPECT_EQ(balance(), 2100);
    EXPECT_EQ(refundable(), 2100);
    EXPECT_EQ(state(charged.id), "partially_refunded");
    expect_books_hold();
}

TEST_F(Refunding, SuccessWithoutAnAmountDebitsNothingAndEndsWithAnOperator) {
    charged = paid();
    gateway->names_amounts = false;
    const auto silent = std::get<payments::Refund>(begin_refund(charged, 3000));
    rounds();
    EXPECT_EQ(refund_state(silent.id), "needs_review");
    EXPECT_EQ(balance(), 5000);
    EXPECT_EQ(refundable(), 2000);
    expect_books_hold();
}

TEST_F(Refunding, SignalWithoutAnAmountDebitsNothingAndAsksTheGateway) {
    const auto processing = refund_with(Fault::processing);
    signal(processing.key);
    rounds();
    EXPECT_EQ(gateway->lookups, 1);
    EXPECT_EQ(refund_state(processing.id), "processing");
    EXPECT_EQ(balance(), 5000);
}

}  // namespace
}  // namespace pawl::workflows
