// capture_payment: each capture is executed once and credited once, whatever is lost between the
// gateway and the books, and never above what is authorized.
#include <algorithm>
#include <array>

#include "tests/integration/capturing.hpp"

namespace pawl::workflows {
namespace {

using payments::NotCapturable;
using std::chrono::hours;
using std::chrono::minutes;
using testing::Fault;

class Captures : public Capturing {
  protected:
    payments::Capture capture_with(Fault fault, const payments::Payment& of,
                                   std::int64_t amount = 5000) {
        gateway->faults = {fault};
        const auto begun = begin_capture(of, amount);
        rounds();
        return capture(begun.id);
    }
};

TEST_F(Captures, AllThatIsAuthorizedIsCapturedOnceAndCreditedOnce) {
    const auto paid = authorized();
    const auto captured = begin_capture(paid);
    EXPECT_EQ(captured.key, "capture:o1:1:1");
    rounds();
    EXPECT_EQ(capture_state(captured.id), "succeeded");
    EXPECT_EQ(state(paid.id), "succeeded");
    EXPECT_EQ(payment(paid.id).captured, 5000);
    EXPECT_EQ(payment(paid.id).capturable, 0);
    EXPECT_EQ(gateway->captures_done[captured.key], 1);
    EXPECT_EQ(balance(), 5000);
    EXPECT_EQ(value("SELECT string_agg(effect_key, ' ') FROM transfers"),
              "test/capture/ref_pay%3Ao1%3A1@5000");
    EXPECT_EQ(run_of(paid.key), "done");
    EXPECT_EQ(run_of(captured.key), "done");
    EXPECT_EQ(value("SELECT state FROM orders"), "paid");
    expect_books_hold();
}

TEST_F(Captures, BooksThatReportOneCaptureAreCreditedUnderTheRoot) {
    gateway->report_captures(CaptureShape::one);
    const auto paid = authorized();
    begin_capture(paid, 3000);
    rounds();
    webhook("evt_success", paid, 3000);
    rounds();
    EXPECT_EQ(value("SELECT string_agg(effect_key, ' ') FROM transfers"),
              "test/capture/ref_pay%3Ao1%3A1");
    EXPECT_EQ(balance(), 3000);
    expect_books_hold();
}

TEST_F(Captures, BooksThatReportOneCaptureAreNotCapturedInParts) {
    gateway->report_captures(CaptureShape::one);
    const auto paid = authorized();
    const auto part = begin_capture(paid, 3000, false);
    rounds();
    EXPECT_EQ(capture_state(part.id), "failed");
    EXPECT_EQ(gateway->sends_of(part.key), 0);
    EXPECT_EQ(payment(paid.id).capturable, 5000);
}

TEST_F(Captures, FinalPartReleasesTheRestAndLeavesItPayable) {
    const auto paid = authorized();
    begin_capture(paid, 3000);
    rounds();
    EXPECT_EQ(state(paid.id), "succeeded");
    EXPECT_EQ(payment(paid.id).captured, 3000);
    EXPECT_EQ(payment(paid.id).capturable, 0);
    EXPECT_EQ(value("SELECT state FROM orders"), "partly_paid");
    EXPECT_EQ(due(), 2000);
    EXPECT_EQ(run_of(paid.key), "done");
    expect_books_hold();
}

TEST_F(Captures, PartsAreCapturedOneAfterTheOther) {
    const auto paid = authorized();
    begin_capture(paid, 1000, false);
    rounds();
    EXPECT_EQ(state(paid.id), "succeeded");
    EXPECT_EQ(payment(paid.id).capturable, 4000);
    EXPECT_EQ(due(), 0) << "the rest can still be captured";
    EXPECT_EQ(run_of(paid.key), "running");
    begin_capture(paid, 1500, false);
    rounds();
    const auto last = begin_capture(paid, 500);
    rounds();
    EXPECT_EQ(last.key, "capture:o1:1:3");
    EXPECT_EQ(payment(paid.id).captured, 3000);
    EXPECT_EQ(payment(paid.id).capturable, 0);
    EXPECT_EQ(balance(), 3000);
    EXPECT_EQ(due(), 2000);
    EXPECT_EQ(value("SELECT string_agg(amount::text, ' ' ORDER BY n) FROM captures"),
              "1000 1500 500");
    EXPECT_EQ(run_of(paid.key), "done");
    expect_books_hold();
}

TEST_F(Captures, WhatIsMoreThanLeftIsRefused) {
    const auto paid = authorized();
    EXPECT_EQ(refusal(paid, 5001), "capture_exceeds_authorized");
    begin_capture(paid, 3000, false);
    rounds();
    EXPECT_EQ(refusal(paid, 2001), "capture_exceeds_authorized");
    EXPECT_EQ(gateway->captured_of(paid.key), 3000);
}

TEST_F(Captures, OneIsUnderWayAtATimeAlsoWhileItsOutcomeIsUnknown) {
    const auto paid = authorized();
    begin_capture(paid, 1000, false);
    EXPECT_EQ(refusal(paid, 1000), "capture_in_progress");
    gateway->faults = {Fault::timeout_after};
    rounds();
    EXPECT_EQ(refusal(paid, 1000), "capture_in_progress");
    rounds(minutes(2));
    EXPECT_EQ(refusal(paid, 9000), "capture_exceeds_authorized");
    EXPECT_THROW(database.run("UPDATE captures SET state = 'created'; "
                              "INSERT INTO captures SELECT (jsonb_populate_record(c, "
                              "'{\"capture_id\": \"cap_2\", \"n\": 2, \"key\": \"k\"}')).* "
                              "FROM captures c"),
                 db::Failure);
}

TEST_F(Captures, PaymentThatIsNotAuthorizedIsNotCapturable) {
    gateway->faults = {Fault::timeout_after};
    const auto unclear = begin_manual("o1");
    EXPECT_EQ(refusal(unclear), "payment_not_capturable");
    rounds();
    EXPECT_EQ(refusal(unclear), "payment_not_capturable");
    const auto at_once = paid("o2");
    EXPECT_EQ(refusal(at_once), "payment_not_capturable");
}

TEST_F(Captures, LostAnswerIsResentUnderItsKeyAndCapturesOnce) {
    const auto paid = authorized();
    const auto unclear = capture_with(Fault::timeout_after, paid, 3000);
    EXPECT_EQ(capture_state(unclear.id), "unknown");
    EXPECT_EQ(balance(), 0);
    EXPECT_EQ(due(), 0);
    rounds(minutes(2));
    EXPECT_EQ(capture_state(unclear.id), "succeeded");
    EXPECT_EQ(gateway->sends_of(unclear.key), 2);
    EXPECT_EQ(gateway->captures_done[unclear.key], 1);
    EXPECT_EQ(balance(), 3000);
    expect_books_hold();
}

TEST_F(Captures, PastTheHorizonItIsLookedUpAndNeverSentAgain) {
    const auto paid = authorized();
    const auto unclear = capture_with(Fault::timeout_after, paid, 3000);
    gateway->forgets_keys = true;  // sent again it could be a second capture
    rounds(hours(25));
    rounds(minutes(1));
    EXPECT_EQ(capture_state(unclear.id), "succeeded");
    EXPECT_EQ(gateway->sends_of(unclear.key), 1);
    EXPECT_EQ(gateway->captures_done[unclear.key], 1);
    EXPECT_EQ(balance(), 3000);
    expect_books_hold();
}

TEST_F(Captures, NotExecutedPastTheHorizonEndsWithAnOperatorAndBlocksTheNext) {
    const auto paid = authorized();
    const auto unclear = capture_with(Fault::timeout_before, paid);
    let_pass(hours(25));
    for (int i = 0; i < 10; ++i) rounds(hours(1));
    EXPECT_EQ(capture_state(unclear.id), "needs_review");
    EXPECT_EQ(gateway->sends_of(unclear.key), 1);
    EXPECT_EQ(refusal(paid), "capture_in_progress");
    EXPECT_FALSE(cancel(paid));
    ASSERT_TRUE(resolve_call(unclear.key, "failed", ""));
    rounds();
    EXPECT_EQ(capture_state(unclear.id), "failed");
    EXPECT_EQ(state(paid.id), "authorized");
    const auto next = begin_capture(paid);
    rounds();
    EXPECT_EQ(next.key, "capture:o1:1:2");
    EXPECT_EQ(capture_state(next.id), "succeeded");
    EXPECT_EQ(balance(), 5000);
    expect_books_hold();
}

TEST_F(Captures, WebhookSettlesOneThatNeedsReview) {
    const auto paid = authorized();
    const auto unclear = capture_with(Fault::timeout_after, paid, 3000);
    gateway->forgets_keys = true;
    gateway->lookup_finds = false;
    let_pass(hours(25));
    for (int i = 0; i < 10; ++i) rounds(hours(1));
    ASSERT_EQ(capture_state(unclear.id), "needs_review");
    gateway->lookup_finds = true;
    report("evt_late", paid, 3000);
    rounds();
    EXPECT_EQ(capture_state(unclear.id), "succeeded");
    EXPECT_EQ(gateway->sends_of(unclear.key), 1);
    EXPECT_EQ(balance(), 3000);
    EXPECT_EQ(payment(paid.id).capturable, 0);
    expect_books_hold();
}

TEST_F(Captures, OperatorsReferenceIsComparedWithTheGateway) {
    const auto paid = authorized();
    const auto unclear = capture_with(Fault::timeout_after, paid, 3000);
    ASSERT_TRUE(resolve_call(unclear.key, "succeeded", "ref_other"));
    rounds();
    EXPECT_EQ(capture_state(unclear.id), "needs_review");
    ASSERT_TRUE(resolve_call(unclear.key, "succeeded", paid.reference));
    rounds();
    EXPECT_EQ(capture_state(unclear.id), "succeeded");
    EXPECT_EQ(balance(), 3000);
    EXPECT_FALSE(resolve_call(unclear.key, "failed", ""));
    expect_books_hold();
}

TEST_F(Captures, ForcedCaptureIsCreditedAndListedUntilItIsConfirmed) {
    const auto paid = authorized();
    const auto unclear = capture_with(Fault::timeout_after, paid, 3000);
    gateway->down = true;
    ASSERT_TRUE(resolve_call(unclear.key, "succeeded", paid.reference, true));
    rounds();
    EXPECT_EQ(capture_state(unclear.id), "succeeded");
    EXPECT_EQ(balance(), 3000);
    const auto forced = "SELECT count(*) FROM external_calls WHERE forced_at IS NOT NULL";
    EXPECT_EQ(value(forced), "1");
    gateway->down = false;
    report("evt_success", paid, 3000);
    rounds(minutes(20));
    EXPECT_EQ(value(forced), "0");
    EXPECT_EQ(balance(), 3000);
    expect_books_hold();
}

TEST_F(Captures, OneThatWasNotExecutedIsSentAgainUnderItsKey) {
    const auto paid = authorized();
    const auto unclear = capture_with(Fault::stored_error, paid);
    EXPECT_EQ(capture_state(unclear.id), "unknown");
    rounds(minutes(2));
    rounds(minutes(2));
    EXPECT_EQ(capture_state(unclear.id), "succeeded");
    EXPECT_EQ(gateway->sends_of(unclear.key), 2);
    EXPECT_EQ(gateway->captures_done[unclear.key], 1);
    EXPECT_EQ(balance(), 5000);
}

TEST_F(Captures, RefusedOneFailsAndThePaymentCanBeCapturedAgain) {
    const auto paid = authorized();
    for (const Fault fault : {Fault::malformed, Fault::declined}) {
        const auto refused = capture_with(fault, paid);
        EXPECT_EQ(capture_state(refused.id), "failed");
        EXPECT_EQ(state(paid.id), "authorized");
        EXPECT_EQ(payment(paid.id).capturable, 5000);
    }
    begin_capture(paid);
    rounds();
    EXPECT_EQ(state(paid.id), "succeeded");
    EXPECT_EQ(balance(), 5000);
    expect_books_hold();
}

TEST_F(Captures, LessThanAskedForIsCreditedAsItMoved) {
    const auto paid = authorized();
    gateway->moves_less = 100;
    const auto less = begin_capture(paid, 3000);
    rounds();
    EXPECT_EQ(capture_state(less.id), "succeeded");
    EXPECT_EQ(capture(less.id).amount, 2900);
    EXPECT_NE(capture(less.id).note, "");
    EXPECT_EQ(balance(), 2900);
    expect_books_hold();
}

TEST_F(Captures, CaptureAtTheDashboardIsCreditedAndNotTakenForPawls) {
    const auto paid = authorized();
    const auto unclear = capture_with(Fault::timeout_before, paid, 3000);
    gateway->capture_elsewhere(paid.key, 3000, true);
    report("evt_dashboard", paid, 3000);
    rounds();
    EXPECT_EQ(balance(), 3000);
    EXPECT_EQ(capture_state(unclear.id), "failed");
    EXPECT_EQ(gateway->captures_done[unclear.key], 0);
    EXPECT_EQ(state(paid.id), "succeeded");
    EXPECT_EQ(payment(paid.id).capturable, 0);
    expect_books_hold();
}

TEST_F(Captures, AuthorizationThatEndedMeanwhileIsNotCaptured) {
    const auto paid = authorized();
    const auto late = begin_capture(paid);
    gateway->expire(paid.key);
    rounds();
    EXPECT_EQ(capture_state(late.id), "failed");
    EXPECT_EQ(state(paid.id), "canceled");
    EXPECT_EQ(run_of(paid.key), "done");
    EXPECT_EQ(balance(), 0);
    EXPECT_EQ(due(), 5000);
    expect_books_hold();
}

TEST_F(Captures, RefundsStayWithinWhatWasCaptured) {
    const auto paid = authorized();
    EXPECT_TRUE(std::holds_alternative<payments::NotRefundable>(begin_refund(paid, 1000)));
    begin_capture(paid, 3000, false);
    rounds();
    EXPECT_TRUE(std::holds_alternative<payments::NotRefundable>(begin_refund(paid, 3001)));
    ASSERT_TRUE(std::holds_alternative<payments::Refund>(begin_refund(paid, 3000)));
    rounds();
    EXPECT_EQ(state(paid.id), "refunded");
    begin_capture(paid, 2000);
    rounds();
    EXPECT_EQ(state(paid.id), "partially_refunded");
    EXPECT_EQ(balance(), 2000);
    expect_books_hold();
}

// The answer is lost, then everything else happens, in every order.
TEST_F(Captures, EveryPermutationOfWhatHappensEndsInOneCaptureAndOneCredit) {
    enum class Happens { round, webhook, duplicate, crash };
    std::array<Happens, 4> order{Happens::round, Happens::webhook, Happens::duplicate,
                                 Happens::crash};
    int number = 0;
    do {
        const std::string name = "o" + std::to_string(++number);
        const auto paid = authorized(name);
        const auto unclear = capture_with(Fault::timeout_after, paid, 3000);
        for (const Happens what : order) {
            if (what == Happens::round) rounds(minutes(2));
            if (what == Happens::webhook) report("evt_" + name, paid, 3000);
            if (what == Happens::duplicate) report("evt_again_" + name, paid, 3000);
            if (what != Happens::crash) continue;
            clock.advance(minutes(2));
            crash_at("after_call_before_record");
        }
        for (int i = 0; i < 3; ++i) rounds(minutes(2));
        EXPECT_EQ(capture_state(unclear.id), "succeeded") << number;
        EXPECT_EQ(gateway->captures_done[unclear.key], 1) << number;
        EXPECT_EQ(state(paid.id), "succeeded") << number;
        EXPECT_EQ(payment(paid.id).capturable, 0) << number;
        EXPECT_EQ(run_of(paid.key), "done") << number;
        EXPECT_EQ(balance(), 3000 * number) << number;
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_EQ(number, 24);
    EXPECT_EQ(value("SELECT count(*) FROM transfers"), "24");
    expect_books_hold();
}

TEST_F(Captures, ProcessThatEndsAtAnyPointOfAStepLosesAndDoublesNothing) {
    int number = 0;
    for (const char* point :
         {"after_claim_before_step", "before_recovery_point_commit", "after_recovery_point_commit",
          "after_pin_before_call", "after_call_before_record"}) {
        for (int times = 1; times <= 4; ++times) {
            const auto paid = authorized("o" + std::to_string(++number));
            const auto part = begin_capture(paid, 2000, false);
            for (int i = 0; i < times; ++i) {
                crash_at(point);
                clock.advance(minutes(2));
            }
            rounds(minutes(2));
            rounds(minutes(2));
            EXPECT_EQ(capture_state(part.id), "succeeded") << point << " " << times;
            const auto last = begin_capture(paid);
            crash_at(point);
            rounds(minutes(2));
            rounds(minutes(2));
            EXPECT_EQ(capture_state(last.id), "succeeded") << point << " " << times;
            EXPECT_EQ(gateway->captures_done[part.key], 1) << point << " " << times;
            EXPECT_EQ(gateway->captures_done[last.key], 1) << point << " " << times;
            EXPECT_EQ(state(paid.id), "succeeded") << point << " " << times;
            EXPECT_EQ(run_of(paid.key), "done") << point << " " << times;
            EXPECT_EQ(balance(), 5000 * number) << point << " " << times;
        }
    }
    expect_books_hold();
}

}  // namespace
}  // namespace pawl::workflows
