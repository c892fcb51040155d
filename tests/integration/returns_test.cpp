// Money that goes back by other ways than a refund of Pawl's that succeeds: refunds made at the
// provider's dashboard, refunds that bounce, refunds that an operator must decide.
#include "base/keys.hpp"
#include "intents/operator/transfer_acts.hpp"
#include "tests/integration/paying.hpp"
#include "workflows/operating.hpp"

namespace pawl::workflows {
namespace {

using payments::NotRefundable;
using payments::Refund;
using std::chrono::hours;
using std::chrono::minutes;
using testing::Fault;

class Returning : public Paying {
  protected:
    // A webhook of the provider about a refund, or its return, under the payment's root.
    testing::Said said(const std::string& id, std::int64_t amount, providers::Action action) {
        testing::Said said;
        said.id = id;
        said.amount = amount;
        said.action = action;
        return said;
    }
    void report(const testing::Said& said, const std::string& kind, const std::string& object,
                const std::string& need, providers::Dispute dispute = providers::Dispute::none) {
        providers::Event event = testing::event(said);
        event.object = object;
        event.movements.at(0).effect_key = make_effect_key("test", kind, {object});
        event.needs = {EffectKey(need)};
        event.dispute = dispute;
        auto submission = testing::deliver({event}, "test");
        submission.books = "test";
        testing::commit(session, {submission});
        rounds();
    }
    // A webhook about a refund of Pawl's, as the shipped rules read it; its run has seen nothing.
    void reports(const payments::Payment& of, const Refund& refund, bool failed, std::int64_t at) {
        const auto action = failed ? providers::Action::credit : providers::Action::debit;
        testing::Said said =
            this->said((failed ? "evt_f_" : "evt_s_") + refund.id, refund.amount.minor, action);
        said.account_of_need = true;
        said.ignore_unmet = failed;
        said.at = at;
        providers::Event event = testing::event(said);
        const std::string reference = gateway->reference_of(refund.key);
        event.object = reference;
        event.signal_key = refund.key;
        event.movements.at(0).effect_key =
            make_effect_key("test", failed ? "refund_failed" : "refund", {reference});
        event.needs = {failed ? make_effect_key("test", "refund", {reference})
                              : make_effect_key("test", "capture", {of.reference})};
        auto submission = testing::deliver({event}, "test");
        submission.books = "test";
        testing::commit(session, {submission});
    }
    // The gateway is still at work with it.
    Refund at_work(const payments::Payment& of, std::int64_t amount) {
        gateway->faults = {Fault::processing};
        const auto begun = std::get<Refund>(begin_refund(of, amount));
        rounds();
        EXPECT_EQ(refund_state(begun.id), "processing");
        return begun;
    }
    void gateway_gives_up(const Refund& refund) {
        gateway->send(gateway->cancel(gateway->reference_of(refund.key)), "gives up " + refund.key,
                      CorrelationId("c"), nullptr);
    }
    void refunded_elsewhere(const payments::Payment& of, const std::string& refund,
                            std::int64_t amount) {
        report(said("evt_" + refund, amount, providers::Action::debit), "refund", refund,
               make_effect_key("test", "capture", {of.reference}).str());
    }
    void bounces(const Refund& refund) {
        testing::Said bounce = said("evt_bounce", refund.amount.minor, providers::Action::credit);
        bounce.account_of_need = true;
        report(bounce, "refund_failed", refund.reference,
               make_effect_key("test", "refund", {refund.reference}).str());
    }
    // Marks the dispute, and moves nothing.
    void disputed(const payments::Payment& of, providers::Dispute dispute) {
        providers::Event event = testing::ignored("evt_" + std::to_string(++disputes_));
        event.object = "dp_1";
        event.needs = {make_effect_key("test", "capture", {of.reference})};
        event.dispute = dispute;
        auto submission = testing::deliver({event}, "test");
        submission.books = "test";
        testing::commit(session, {submission});
        rounds();
    }
    int disputes_ = 0;
    std::int64_t capture_of(const payments::Payment& of) {
        return std::stoll(value("SELECT id FROM transfers WHERE effect_key = '" +
                                make_effect_key("test", "capture", {of.reference}).str() + "'"));
    }
    void operate(const intents::TransferAct& act) {
        const auto result =
            intents::apply_transfer_act(session, act, {"ana", "posted wrongly"}, clock.now());
        const auto* refused = std::get_if<intents::TransferActRefused>(&result);
        EXPECT_EQ(refused, nullptr) << refused->message;
        rounds();
    }
    std::int64_t refundable(const payments::Payment& of) {
        const auto refused = begin_refund(of, of.captured + 1);
        return std::holds_alternative<NotRefundable>(refused)
                   ? std::get<NotRefundable>(refused).left
                   : -1;
    }
    Refund refund_of(const payments::Payment& of, std::int64_t amount) {
        const auto begun = std::get<Refund>(begin_refund(of, amount));
        rounds();
        return refund(begun.id);
    }
    Result<RunChange> resolve(const Refund& refund, const std::string& outcome,
                              const std::string& reference = "") {
        return resolve_call(refund.key, outcome, reference);
    }
    // Past its horizon, and not found.
    Refund in_review(const payments::Payment& of) {
        gateway->faults = {Fault::timeout_after};
        gateway->lookup_finds = false;
        const auto begun = std::get<Refund>(begin_refund(of, 3000));
        rounds();
        let_pass(hours(25));
        for (int i = 0; i < 10; ++i) rounds(hours(1));
        EXPECT_EQ(refund_state(begun.id), "needs_review");
        gateway->lookup_finds = true;
        return refund(begun.id);
    }
};

TEST_F(Returning, RefundMadeElsewhereCountsInThePayment) {
    const auto charged = paid();
    refunded_elsewhere(charged, "re_dash", 2000);
    EXPECT_EQ(state(charged.id), "partially_refunded");
    EXPECT_EQ(refundable(charged), 3000);
    refunded_elsewhere(charged, "re_dash2", 3000);
    EXPECT_EQ(state(charged.id), "refunded");
    EXPECT_EQ(refundable(charged), 0);
    EXPECT_EQ(balance(), 0);
    expect_books_hold();
}

// The refund's webhook does not count as a second refund.
TEST_F(Returning, RefundOfPawlsOwnCountsOnce) {
    const auto charged = paid();
    const auto own = refund_of(charged, 2000);
    refunded_elsewhere(charged, own.reference, 2000);
    EXPECT_EQ(state(charged.id), "partially_refunded");
    EXPECT_EQ(refundable(charged), 3000);
    EXPECT_EQ(balance(), 3000);
}

TEST_F(Returning, RefundThatBouncesFailsAndIsRefundableAgain) {
    const auto charged = paid();
    const auto own = refund_of(charged, 5000);
    ASSERT_EQ(state(charged.id), "refunded");
    bounces(own);
    EXPECT_EQ(refund_state(own.id), "failed");
    EXPECT_EQ(state(charged.id), "succeeded");
    EXPECT_EQ(refundable(charged), 5000);
    EXPECT_EQ(balance(), 5000);
    EXPECT_EQ(value("SELECT count(*) FROM staged_jobs WHERE payload ->> 'type' = 'refund.failed'"),
              "1");
    expect_books_hold();
}

// In every order, together and apart.
TEST_F(Returning, RefundThatSucceedsAndBouncesHasFailedWhateverItsRunSawFirst) {
    int orders = 0;
    for (const bool failure_first : {false, true}) {
        for (const bool apart : {false, true}) {
            const auto charged = paid("o" + std::to_string(++orders));
            const auto begun = at_work(charged, 5000);
            for (const bool failed : {failure_first, !failure_first}) {
                if (failed) gateway_gives_up(begun);
                reports(charged, begun, failed, failed ? 20 : 10);
                if (apart) rounds();
            }
            rounds();
            const auto ended = refund(begun.id);
            EXPECT_EQ(refund_state(begun.id), "failed")
                << failure_first << apart << " " << ended.note;
            EXPECT_EQ(state(charged.id), "succeeded");
            EXPECT_EQ(refundable(charged), 5000);
            EXPECT_EQ(balance(), 5000 * orders);
        }
    }
    expect_books_hold();
}

TEST_F(Returning, RefundThatFailsWhileTheGatewayIsAtWorkIsLookedUpAtOnce) {
    const auto charged = paid();
    const auto begun = at_work(charged, 5000);
    gateway_gives_up(begun);
    reports(charged, begun, true, 20);
    rounds();
    EXPECT_EQ(refund_state(begun.id), "failed");
    EXPECT_EQ(refundable(charged), 5000);
    EXPECT_EQ(balance(), 5000);
}

TEST_F(Returning, DisputeIsSeenWhileItIsOpenAndCountsOnceItIsLost) {
    const auto charged = paid();
    disputed(charged, providers::Dispute::opened);
    EXPECT_EQ(state(charged.id), "disputed");
    EXPECT_EQ(value("SELECT state FROM orders"), "disputed");
    disputed(charged, providers::Dispute::won);
    EXPECT_EQ(state(charged.id), "succeeded");
    report(said("evt_lost", 5000, providers::Action::debit), "dispute", "dp_2",
           make_effect_key("test", "capture", {charged.reference}).str(), providers::Dispute::lost);
    EXPECT_EQ(state(charged.id), "refunded");
    EXPECT_EQ(refundable(charged), 0);
    EXPECT_EQ(balance(), 0);
    expect_books_hold();
}

TEST_F(Returning, CaptureThatAnOperatorReversesLeavesThePaymentForReview) {
    const auto charged = paid();
    operate(intents::ReverseTransfer{capture_of(charged)});
    EXPECT_EQ(state(charged.id), "needs_review");
    EXPECT_EQ(payment(charged.id).captured, 0);
    EXPECT_EQ(value("SELECT state FROM orders"), "open");
    EXPECT_EQ(balance(), 0);
    expect_books_hold();
}

// Its run has not been signaled yet: the journal decides.
TEST_F(Returning, CaptureThatWasJustReversedIsNotRefundable) {
    const auto charged = paid();
    const std::int64_t id = capture_of(charged);
    ASSERT_TRUE(std::holds_alternative<intents::TransferActDone>(intents::apply_transfer_act(
        session, intents::ReverseTransfer{id}, {"ana", "posted wrongly"}, clock.now())));
    EXPECT_TRUE(std::holds_alternative<NotRefundable>(begin_refund(charged, 1)));
}

TEST_F(Returning, RefundUnderWayKeepsItsCaptureFromAReversal) {
    const auto charged = paid();
    gateway->faults = {Fault::timeout_after};
    const auto begun = begin_refund(charged, 3000);
    ASSERT_TRUE(std::holds_alternative<Refund>(begun));
    const auto reverse = [&] {
        const auto result = intents::apply_transfer_act(
            session, intents::ReverseTransfer{capture_of(charged)}, {"ana", "x"}, clock.now());
        const auto* refused = std::get_if<intents::TransferActRefused>(&result);
        return refused == nullptr ? std::string("done") : refused->code;
    };
    EXPECT_EQ(reverse(), "below_returned");
    rounds();
    EXPECT_EQ(reverse(), "below_returned");
    rounds(minutes(2));
    EXPECT_EQ(refund_state(std::get<Refund>(begun).id), "succeeded");
    EXPECT_EQ(reverse(), "below_returned");
    EXPECT_EQ(balance(), 2000);
    expect_books_hold();
}

TEST_F(Returning, CaptureThatAnOperatorCorrectsCountsAsItIsThen) {
    const auto charged = paid();
    operate(intents::CorrectTransfer{capture_of(charged), "fix-1", std::nullopt, 4000});
    EXPECT_EQ(state(charged.id), "succeeded");
    EXPECT_EQ(payment(charged.id).captured, 4000);
    EXPECT_EQ(value("SELECT state FROM orders"), "partly_paid");
    EXPECT_EQ(refundable(payment(charged.id)), 4000);
    expect_books_hold();
}

TEST_F(Returning, RefundOfAPaymentThatAnOperatorMovedDebitsTheAccountThatHoldsIt) {
    const auto charged = paid();
    operate(intents::CorrectTransfer{capture_of(charged), "fix-1", AccountId("user:2")});
    const auto done = refund_of(charged, 3000);
    EXPECT_EQ(refund_state(done.id), "succeeded");
    EXPECT_EQ(balance(), 0);
    EXPECT_EQ(balance("user:2"), 2000);
    expect_books_hold();
    bounces(done);
    EXPECT_EQ(refund_state(done.id), "failed");
    EXPECT_EQ(balance(), 0);
    EXPECT_EQ(balance("user:2"), 5000);
    expect_books_hold();
}

TEST_F(Returning, RefundOfAMovedPaymentIsSettledByItsWebhookToo) {
    const auto charged = paid();
    operate(intents::CorrectTransfer{capture_of(charged), "fix-1", AccountId("user:2")});
    const auto begun = std::get<Refund>(begin_refund(charged, 3000));
    testing::Said first = said("evt_first", 3000, providers::Action::debit);
    first.account_of_need = true;
    report(first, "refund", gateway->reference_of(begun.key),
           make_effect_key("test", "capture", {charged.reference}).str());
    rounds();
    EXPECT_EQ(refund_state(begun.id), "succeeded") << refund(begun.id).note;
    EXPECT_EQ(balance(), 0);
    EXPECT_EQ(balance("user:2"), 2000);
    expect_books_hold();
}

TEST_F(Returning, MoreThatIsCapturedOfAMovedPaymentGoesToItsHolder) {
    gateway->report_captures(CaptureShape::total);
    const auto charged = paid();
    const auto capture = std::stoll(value("SELECT max(id) FROM transfers"));
    operate(intents::CorrectTransfer{capture, "fix-1", AccountId("user:2")});
    testing::Said more = said("evt_more", 6000, providers::Action::credit);
    more.total = true;
    providers::Event event = testing::event(more);
    event.object = charged.reference;
    event.movements.at(0).effect_key = make_effect_key("test", "capture", {charged.reference});
    event.signal_key = charged.key;
    auto submission = testing::deliver({event}, "test");
    submission.books = "test";
    testing::commit(session, {submission});
    rounds();
    EXPECT_EQ(balance(), 0);
    EXPECT_EQ(balance("user:2"), 6000);
    EXPECT_EQ(payment(charged.id).captured, 6000);
    expect_books_hold();
}

TEST_F(Returning, RefundInReviewIsResolvedAsFailed) {
    const auto charged = paid();
    const auto stuck = in_review(charged);
    const auto resolved = resolve(stuck, "failed");
    ASSERT_TRUE(resolved.ok()) << resolved.error().message;
    EXPECT_EQ(refund_state(stuck.id), "failed");
    EXPECT_EQ(refundable(charged), 5000);
    EXPECT_EQ(balance(), 5000);
}

TEST_F(Returning, RefundInReviewIsResolvedAsSucceeded) {
    const auto charged = paid();
    const auto stuck = in_review(charged);
    const auto resolved = resolve(stuck, "succeeded", gateway->reference_of(stuck.key));
    ASSERT_TRUE(resolved.ok()) << resolved.error().message;
    rounds();
    EXPECT_EQ(refund_state(stuck.id), "succeeded");
    EXPECT_EQ(state(charged.id), "partially_refunded");
    EXPECT_EQ(balance(), 2000);
    expect_books_hold();
}

}  // namespace
}  // namespace pawl::workflows
