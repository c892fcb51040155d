// An authorization from its first answer to its end: captured, voided, expired, or reported late on
// an attempt that has ended. No order keeps one that has ended.
#include "base/keys.hpp"
#include "intents/queries/attention.hpp"
#include "tests/integration/capturing.hpp"

namespace pawl::workflows {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using testing::Fault;

class Authorizations : public Capturing {
  protected:
    bool may_pay_again(const std::string& order = "o1") {
        db::Transaction transaction(session);  // not committed
        const auto stored = payments::find_order(transaction, order, payments::Lock::row);
        const auto made = payments::allocate(
            transaction, *stored, {"pay_next", "", "test", CorrelationId("c")}, clock.now());
        return std::holds_alternative<payments::Payment>(made);
    }
    Result<RunChange> operate(RunAct act, const std::string& key) {
        RunInstruction instruction;
        instruction.act = act;
        instruction.run_id =
            std::stoll(value("SELECT run_id FROM workflow_runs WHERE key = '" + key + "'"));
        instruction.principal = "ana";
        instruction.reason = "the payer asked for it";
        return apply_operator_action(session, instruction, clock.now());
    }
};

TEST_F(Authorizations, AnswerIsAResultAndMovesNothing) {
    gateway->capture_before = clock.now() + days(7);
    const auto waiting = authorized();
    EXPECT_EQ(waiting.capturable, 5000);
    EXPECT_EQ(waiting.captured, 0);
    EXPECT_EQ(waiting.capture_before, gateway->capture_before);
    EXPECT_EQ(balance(), 0);
    EXPECT_EQ(due(), 0);
    EXPECT_FALSE(may_pay_again());
    EXPECT_EQ(value("SELECT state FROM orders"), "open");
    EXPECT_EQ(value("SELECT count(*) FROM staged_jobs WHERE payload ->> 'type' = "
                    "'payment.authorized'"),
              "1");
    EXPECT_EQ(run_of(waiting.key), "running");
    expect_books_hold();
}

TEST_F(Authorizations, LostAnswerIsResentUnderItsKeyAndAuthorizesOnce) {
    gateway->faults = {Fault::timeout_after};
    const auto unclear = begin_manual();
    rounds();
    EXPECT_EQ(state(unclear.id), "unknown");
    rounds(minutes(2));
    EXPECT_EQ(state(unclear.id), "authorized");
    EXPECT_EQ(gateway->sends_of(unclear.key), 2);
    EXPECT_EQ(payment(unclear.id).capturable, 5000);
}

// A signal without an amount, as the shipped rule of an authorization sends it.
TEST_F(Authorizations, WebhookOfAnAuthorizationLeadsToALookup) {
    gateway->faults = {Fault::timeout_after};
    const auto unclear = begin_manual();
    rounds();
    signal(unclear.key);
    rounds();
    EXPECT_EQ(gateway->lookups, 1);
    EXPECT_EQ(gateway->sends_of(unclear.key), 1);
    EXPECT_EQ(state(unclear.id), "authorized");
}

// Its money has no owner among the orders: an operator decides, and no answer about the rest of the
// authorization hides that.
TEST_F(Authorizations, MoneyInAnotherCurrencyIsForAnOperatorAlsoWhileItIsAuthorized) {
    const auto waiting = authorized();
    testing::Said said;
    said.id = "evt_eur";
    said.amount = 4500;
    said.currency = "EUR";
    said.total = true;
    providers::Event event = testing::event(said);
    event.object = gateway->reference_of(waiting.key);
    event.movements.at(0).effect_key = make_effect_key("test", "capture", {event.object});
    event.signal_key = waiting.key;
    auto submission = testing::deliver({event}, "test");
    submission.books = "test";
    testing::commit(session, {submission});
    for (int i = 0; i < 5; ++i) {
        rounds(hours(i));
        EXPECT_EQ(state(waiting.id), "needs_review") << i;
    }
    const intents::AttentionFilter all{clock.now(), {{"test"}, {}}, {}, "", 9};
    const auto page = intents::list_attention(session, all).value();
    ASSERT_EQ(page.items.size(), 1U);
    EXPECT_EQ(page.items[0].kind + ": " + page.items[0].reason.value_or(""),
              "payment: money in another currency moved");
    EXPECT_EQ(value("SELECT state FROM orders"), "open");
    EXPECT_FALSE(may_pay_again());
    // Accepted: what is left of the authorization is followed to its end.
    ASSERT_TRUE(resolve_call(waiting.key, "succeeded", "", true).ok());
    EXPECT_EQ(state(waiting.id), "succeeded");
    gateway->expire(waiting.key);
    rounds(hours(30));
    EXPECT_EQ(payment(waiting.id).capturable, 0);
    EXPECT_EQ(state(waiting.id), "succeeded");
    EXPECT_EQ(run_of(waiting.key), "done");
    expect_books_hold();
}

TEST_F(Authorizations, GatewayIsAskedAboutItAndThePauseGrows) {
    const auto waiting = authorized();
    rounds(minutes(59));
    EXPECT_EQ(gateway->lookups, 0);
    rounds(minutes(2));
    EXPECT_EQ(gateway->lookups, 1);
    for (int i = 0; i < 7 * 24; ++i) rounds(hours(1));
    EXPECT_GE(gateway->lookups, 8);
    EXPECT_LE(gateway->lookups, 16);
    EXPECT_EQ(state(waiting.id), "authorized");
}

TEST_F(Authorizations, CancelVoidsItAndTheOrderTakesAnotherPayment) {
    const auto waiting = authorized();
    EXPECT_TRUE(cancel(waiting));
    EXPECT_EQ(refusal(waiting), "cancel_accepted");
    rounds();
    EXPECT_EQ(state(waiting.id), "canceled");
    EXPECT_EQ(payment(waiting.id).capturable, 0);
    EXPECT_EQ(gateway->voids[waiting.key], 1);
    EXPECT_EQ(run_of(waiting.key), "done");
    EXPECT_EQ(due(), 5000);
    EXPECT_TRUE(may_pay_again());
    expect_books_hold();
}

TEST_F(Authorizations, CancelIsRefusedWhileACaptureIsUnderWay) {
    const auto waiting = authorized();
    gateway->faults = {Fault::timeout_after};
    const auto unclear = begin_capture(waiting);
    EXPECT_FALSE(cancel(waiting));
    rounds();
    EXPECT_FALSE(cancel(waiting));
    EXPECT_FALSE(operate(RunAct::cancel, waiting.key));
    EXPECT_FALSE(operate(RunAct::new_attempt, waiting.key));
    EXPECT_FALSE(payment(waiting.id).cancel_requested);
    rounds(minutes(2));
    EXPECT_EQ(capture_state(unclear.id), "succeeded");
    EXPECT_EQ(gateway->voids[waiting.key], 0);
    EXPECT_EQ(balance(), 5000);
    expect_books_hold();
}

TEST_F(Authorizations, CancelAfterAPartReleasesTheRestAndKeepsThePart) {
    const auto waiting = authorized();
    begin_capture(waiting, 3000, false);
    rounds();
    EXPECT_TRUE(cancel(waiting));
    EXPECT_EQ(refusal(waiting, 1000), "cancel_accepted");
    for (int i = 0; i < 3; ++i) rounds(minutes(2));
    EXPECT_EQ(gateway->voids[waiting.key], 1);
    EXPECT_EQ(state(waiting.id), "succeeded");
    EXPECT_EQ(payment(waiting.id).captured, 3000);
    EXPECT_EQ(payment(waiting.id).capturable, 0);
    EXPECT_EQ(gateway->refunds_done.size(), 0U);
    EXPECT_EQ(balance(), 3000);
    EXPECT_EQ(run_of(waiting.key), "done");
    EXPECT_EQ(due(), 2000);
    EXPECT_TRUE(may_pay_again());
    expect_books_hold();
}

TEST_F(Authorizations, LostAnswerToTheCancelIsLookedUp) {
    const auto waiting = authorized();
    cancel(waiting);
    gateway->faults = {Fault::timeout_after};
    for (int i = 0; i < 3; ++i) rounds(minutes(2));
    EXPECT_EQ(state(waiting.id), "canceled");
    EXPECT_EQ(gateway->voids[waiting.key], 1);
    EXPECT_TRUE(may_pay_again());
}

// The shop's own dashboard was faster than the cancel.
TEST_F(Authorizations, CaptureThatMeetsTheCancelIsRefunded) {
    const auto waiting = authorized();
    gateway->capture_elsewhere(waiting.key, 5000, true);
    cancel(waiting);
    for (int i = 0; i < 4; ++i) rounds(minutes(2));
    EXPECT_EQ(state(waiting.id), "refunded");
    EXPECT_EQ(gateway->refunds_done["refund:o1:1"], 1);
    EXPECT_EQ(balance(), 0);
    expect_books_hold();
}

TEST_F(Authorizations, ExpiryIsNoticedAndCancelsThePayment) {
    const auto waiting = authorized();
    gateway->expire(waiting.key);
    rounds(hours(2));
    EXPECT_EQ(state(waiting.id), "canceled");
    EXPECT_EQ(payment(waiting.id).capturable, 0);
    EXPECT_TRUE(may_pay_again());
    expect_books_hold();
}

TEST_F(Authorizations, ExpiryAfterAPartSettlesWhatWasCaptured) {
    const auto waiting = authorized();
    begin_capture(waiting, 3000, false);
    rounds();
    gateway->expire(waiting.key);
    rounds(hours(25));
    EXPECT_EQ(state(waiting.id), "succeeded");
    EXPECT_EQ(payment(waiting.id).capturable, 0);
    EXPECT_EQ(run_of(waiting.key), "done");
    EXPECT_EQ(due(), 2000);
    expect_books_hold();
}

TEST_F(Authorizations, CaptureAtTheDashboardThatNoWebhookReportedIsCredited) {
    const auto waiting = authorized();
    gateway->capture_elsewhere(waiting.key, 2000, false);
    rounds(hours(2));
    EXPECT_EQ(balance(), 2000);
    EXPECT_EQ(payment(waiting.id).capturable, 3000);
    EXPECT_EQ(run_of(waiting.key), "running");
    gateway->capture_elsewhere(waiting.key, 3000, true);
    rounds(hours(25));
    EXPECT_EQ(balance(), 5000);
    EXPECT_EQ(run_of(waiting.key), "done");
    expect_books_hold();
}

TEST_F(Authorizations, LateOneOnAnAttemptThatHasEndedIsVoided) {
    gateway->faults = {Fault::timeout_after};
    const auto given_up = begin_manual();
    rounds();
    ASSERT_TRUE(resolve_call(given_up.key, "failed", ""));
    ASSERT_EQ(state(given_up.id), "failed");
    const auto next = begin_manual();
    rounds();
    EXPECT_EQ(state(next.id), "authorized");
    signal(given_up.key);
    for (int i = 0; i < 3; ++i) rounds(minutes(2));
    EXPECT_EQ(gateway->voids[given_up.key], 1);
    EXPECT_EQ(state(given_up.id), "failed");
    EXPECT_EQ(payment(given_up.id).capturable, 0);
    EXPECT_EQ(state(next.id), "authorized");
    EXPECT_EQ(payment(next.id).capturable, 5000);
    expect_books_hold();
}

TEST_F(Authorizations, LateActOfThePayerIsNotCanceledByItsDeadline) {
    gateway->faults = {Fault::requires_action};
    const auto waiting = begin_manual();
    rounds();
    ASSERT_EQ(state(waiting.id), "requires_action");
    gateway->authorize(waiting.key, 5000);
    rounds(hours(25));
    EXPECT_EQ(state(waiting.id), "authorized");
    EXPECT_EQ(payment(waiting.id).next_action, "");
    rounds(hours(25));
    EXPECT_EQ(state(waiting.id), "authorized");
}

TEST_F(Authorizations, OperatorsReferenceLeadsBackToTheAuthorization) {
    gateway->faults = {Fault::timeout_after};
    gateway->lookup_finds = false;
    const auto unclear = begin_manual();
    rounds();
    gateway->forgets_keys = true;
    let_pass(hours(25));
    pass_until_settled(unclear.id, hours(1));
    ASSERT_EQ(state(unclear.id), "needs_review");
    EXPECT_EQ(refusal(unclear), "payment_not_capturable");
    gateway->lookup_finds = true;
    ASSERT_TRUE(resolve_call(unclear.key, "succeeded", gateway->reference_of(unclear.key)));
    rounds();
    EXPECT_EQ(state(unclear.id), "authorized");
    EXPECT_EQ(run_of(unclear.key), "running");
    begin_capture(payment(unclear.id));
    rounds();
    EXPECT_EQ(balance(), 5000);
    expect_books_hold();
}

// A look-up that was answered before a capture, and recorded after it.
TEST_F(Authorizations, OlderAnswerDoesNotBringBackWhatWasCapturedSince) {
    const auto waiting = authorized();
    bool first = true;
    gateway->during_send = [&] {
        if (gateway->lookups == 0 || !std::exchange(first, false)) return;
        begin_capture(waiting, 3000, false);
        another_engine()->run_once();
    };
    gateway->answers_before_send = true;
    let_pass(hours(2));
    engine->run_once();
    EXPECT_FALSE(first);
    EXPECT_EQ(payment(waiting.id).captured, 3000);
    EXPECT_EQ(payment(waiting.id).capturable, 2000);
    expect_books_hold();
}

TEST_F(Authorizations, OneThatExpiresWithinADayIsListedForAttention) {
    gateway->capture_before = clock.now() + hours(30);
    const auto waiting = authorized();
    const auto listed = [&](Duration later) {
        const intents::AttentionFilter filter{clock.now() + later, {{"test"}, {}}, {}, "", 100};
        const auto page = intents::list_attention(session, filter).value();
        for (const auto& one : page.items) {
            if (one.kind == "authorization") return one.example;
        }
        return std::string();
    };
    EXPECT_EQ(listed(hours(5)), "");
    EXPECT_EQ(listed(hours(7)), waiting.id);
    begin_capture(waiting);
    rounds();
    EXPECT_EQ(listed(hours(7)), "");
}

}  // namespace
}  // namespace pawl::workflows
