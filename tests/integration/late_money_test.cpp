// Money that moved late, or in another amount than was asked for: it is credited, and payment and
// order say so.
#include "base/keys.hpp"
#include "tests/integration/paying.hpp"
#include "workflows/engine/runs.hpp"

namespace pawl::workflows {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::Fault;

class LateMoney : public Paying {
  protected:
    payments::Payment ended_by(Fault fault) {
        gateway->faults = {fault};
        const auto begun = begin("o1");
        rounds();
        return begun;
    }
    // An attempt that is allowed now; NOT started.
    payments::Allocated next_attempt() {
        payments::Allocated made;
        db::in_transaction(session, [&](db::Transaction& transaction) {
            const auto order = payments::find_order(transaction, "o1", payments::Lock::row);
            made = payments::allocate(transaction, *order,
                                      {"pay_next", "", "test", CorrelationId("c")}, clock.now());
        });
        return made;
    }
    std::string announced(const std::string& type) {
        return value(
            "SELECT coalesce(string_agg(payload ->> 'state', ' '), '') FROM staged_jobs "
            "WHERE payload ->> 'type' = '" +
            type + "'");
    }
};

// The books have the money, and the payment's run has not seen the signal yet.
TEST_F(LateMoney, ReportedMovementBlocksAnotherAttemptBeforeTheRunHasTakenIt) {
    const auto declined = ended_by(Fault::declined);
    ASSERT_EQ(state(declined.id), "declined");
    webhook("evt_late", declined);
    ASSERT_EQ(balance(), 5000);
    EXPECT_TRUE(std::holds_alternative<payments::InTheWay>(next_attempt()));
    rounds();
    EXPECT_EQ(state(declined.id), "succeeded");
    EXPECT_TRUE(std::holds_alternative<payments::InTheWay>(next_attempt()));
}

TEST_F(LateMoney, SuccessAfterFailedIsSettled) {
    const auto failed = ended_by(Fault::malformed);
    ASSERT_EQ(state(failed.id), "failed");
    webhook("evt_late", failed);
    rounds();
    EXPECT_EQ(balance(), 5000);
    EXPECT_EQ(state(failed.id), "succeeded");
    EXPECT_EQ(payment(failed.id).captured, 5000);
    EXPECT_EQ(announced("payment.succeeded"), "succeeded");
    EXPECT_TRUE(std::holds_alternative<payments::InTheWay>(next_attempt()));
    expect_books_hold();
}

// Where the provider reports captures as a running total, the answer does, too.
TEST_F(LateMoney, AnswerAndWebhookCreditOneTotalOnce) {
    gateway->report_captures(CaptureShape::total);
    const auto charged = paid();
    webhook("evt_total", charged, 5000, true);
    rounds();
    EXPECT_EQ(value("SELECT string_agg(effect_key, ' ') FROM transfers"),
              make_effect_key("test", "capture", {charged.reference}).str() + "@5000");
    EXPECT_EQ(payment(charged.id).captured, 5000);
    EXPECT_EQ(balance(), 5000);
    expect_books_hold();
}

TEST_F(LateMoney, AnotherAmountAfterDeclinedIsSettledAsItMoved) {
    const auto declined = ended_by(Fault::declined);
    ASSERT_EQ(state(declined.id), "declined");
    webhook("evt_late", declined, 4000);
    rounds();
    EXPECT_EQ(balance(), 4000);
    EXPECT_EQ(state(declined.id), "succeeded");
    EXPECT_EQ(payment(declined.id).captured, 4000);
    expect_books_hold();
}

TEST_F(LateMoney, LessThanRequestedSucceedsAndLeavesTheRemainderPayable) {
    gateway->moves_less = 1000;
    const auto partial = begin("o1");
    rounds();
    EXPECT_EQ(state(partial.id), "succeeded");
    EXPECT_EQ(payment(partial.id).captured, 4000);
    EXPECT_FALSE(payment(partial.id).overpaid);
    expect_books_hold();
    const auto next = next_attempt();
    ASSERT_TRUE(std::holds_alternative<payments::Payment>(next));
    EXPECT_EQ(std::get<payments::Payment>(next).amount.minor, 1000);
}

TEST_F(LateMoney, LessThanRequestedCanBeRefunded) {
    gateway->moves_less = 1000;
    const auto partial = begin("o1");
    rounds();
    gateway->moves_less = 0;
    ASSERT_TRUE(std::holds_alternative<payments::Refund>(begin_refund(payment(partial.id), 4000)));
    rounds();
    EXPECT_EQ(state(partial.id), "refunded");
    EXPECT_EQ(balance(), 0);
    expect_books_hold();
}

TEST_F(LateMoney, MoreThanRequestedSucceedsAsOverpaid) {
    gateway->moves_less = -100;
    const auto more = begin("o1");
    rounds();
    EXPECT_EQ(state(more.id), "succeeded");
    EXPECT_EQ(payment(more.id).captured, 5100);
    EXPECT_TRUE(payment(more.id).overpaid);
    EXPECT_EQ(balance(), 5100);
    expect_books_hold();
}

TEST_F(LateMoney, AnotherCurrencyIsCreditedAsItMovedAndEndsWithAnOperator) {
    const auto begun = ended_by(Fault::processing);
    signal(begun.key, Money{4500, Currency::parse("EUR").value()},
           gateway->reference_of(begun.key));
    rounds();
    EXPECT_EQ(state(begun.id), "needs_review");
    EXPECT_EQ(value("SELECT amount || ' ' || currency FROM balances"), "4500 EUR");
    EXPECT_TRUE(std::holds_alternative<payments::InTheWay>(next_attempt()));
    expect_books_hold();
}

}  // namespace
}  // namespace pawl::workflows
