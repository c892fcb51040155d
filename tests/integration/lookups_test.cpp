// Intervals of the lookups of a call with an unknown outcome, and their escalation to an operator.
#include "tests/integration/paying.hpp"

namespace pawl::workflows {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Fault;

class Lookups : public Paying {
  protected:
    payments::Payment processing_payment() {
        gateway->faults = {Fault::processing};
        const auto begun = begin("o1");
        rounds();
        EXPECT_EQ(state(begun.id), "processing");
        return begun;
    }
    void pass(Duration step, int steps) {
        for (int i = 0; i < steps; ++i) rounds(step);
    }
    std::string messages(const std::string& type) {
        return value("SELECT count(*) FROM staged_jobs WHERE payload ->> 'type' = '" + type + "'");
    }
};

TEST_F(Lookups, BackOffWhileTheGatewayIsDown) {
    const auto unclear = processing_payment();
    gateway->down = true;
    rounds(hours(1));
    pass(seconds(1), 182);
    EXPECT_GE(gateway->lookups, 6);
    EXPECT_LE(gateway->lookups, 10);
    EXPECT_EQ(state(unclear.id), "processing");
}

TEST_F(Lookups, BackOffForAnUnknownOutcome) {
    gateway->faults = {Fault::stored_error};  // to be looked up instead of sent again
    const auto unclear = begin("o1");
    rounds();
    gateway->down = true;
    pass(seconds(1), 182);
    EXPECT_GE(gateway->lookups, 6);
    EXPECT_LE(gateway->lookups, 10);
    EXPECT_EQ(state(unclear.id), "unknown");
    EXPECT_EQ(gateway->sends.size(), 1U);
}

TEST_F(Lookups, ComeNoEarlierThanTheGatewayPermits) {
    processing_payment();
    gateway->busy = seconds(600);
    rounds(hours(1));
    ASSERT_EQ(gateway->lookups, 1);
    rounds(seconds(599));
    EXPECT_EQ(gateway->lookups, 1);
    rounds(seconds(2));
    EXPECT_EQ(gateway->lookups, 2);
}

TEST_F(Lookups, OfAProcessingCallBeginAfterAnHourAndBackOff) {
    const auto slow = processing_payment();
    rounds(minutes(59));
    EXPECT_EQ(gateway->lookups, 0);
    rounds(minutes(2));
    EXPECT_EQ(gateway->lookups, 1);
    pass(hours(1), 240);
    EXPECT_GE(gateway->lookups, 12);
    EXPECT_LE(gateway->lookups, 16);
    EXPECT_EQ(state(slow.id), "processing");
}

TEST_F(Lookups, WithoutAnAnswerForHalfADayEndWithAnOperator) {
    const auto unclear = processing_payment();
    gateway->down = true;
    rounds(hours(1));
    pass(minutes(15), 120);
    EXPECT_EQ(state(unclear.id), "needs_review");
    EXPECT_EQ(gateway->lookups, 100);
    EXPECT_EQ(value("SELECT status || ' at ' || step FROM workflow_runs"),
              "needs_review at look_up");
    EXPECT_EQ(messages("payment.needs_review"), "1");
    // A webhook settles it all the same.
    gateway->down = false;
    webhook("evt_late", unclear);
    rounds();
    EXPECT_EQ(state(unclear.id), "succeeded");
    EXPECT_EQ(balance(), 5000);
    expect_books_hold();
}

TEST_F(Lookups, EndInReviewForARefundUnansweredForHalfADay) {
    const auto charged = paid();
    gateway->faults = {Fault::processing};
    const auto unclear = std::get<payments::Refund>(begin_refund(charged, 3000));
    rounds();
    gateway->down = true;
    rounds(hours(1));
    pass(minutes(15), 120);
    EXPECT_EQ(refund_state(unclear.id), "needs_review");
    EXPECT_EQ(gateway->lookups, 100);
    EXPECT_EQ(messages("refund.needs_review"), "1");
    EXPECT_EQ(balance(), 5000);
}

TEST_F(Lookups, AreFrequentAgainAfterOneThatWasAnswered) {
    processing_payment();
    gateway->down = true;
    rounds(hours(1));
    pass(minutes(15), 20);
    EXPECT_EQ(value("SELECT unanswered FROM external_calls"), "21");
    gateway->down = false;
    rounds(minutes(15));
    EXPECT_EQ(value("SELECT unanswered FROM external_calls"), "0");
    EXPECT_EQ(value("SELECT lookups FROM external_calls"), "22");
}

}  // namespace
}  // namespace pawl::workflows
