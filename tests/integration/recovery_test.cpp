// Recovery after lost commits: no call is sent before the gateway was asked about its key and its
// order. A loss is a call that the gateway has executed and the tables never had; the gateway
// remembers no key, so that a second send would be a second charge.
#include "access/recovery.hpp"

#include "base/keys.hpp"
#include "intents/queries/attention.hpp"
#include "tests/integration/capturing.hpp"
#include "workflows/sql.hpp"

namespace pawl::workflows {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Fault;

class Recovery : public Capturing {
  protected:
    Recovery() {
        gateway->forgets_keys = true;
        gateway->find_finally_after(Duration{});
    }
    void recover() { access::begin_recovery(session, {"ana", "restored the backup"}); }
    void end_recovery() { access::end_recovery(session, "ana", "all is compared"); }
    // As a server did whose commits are lost.
    void lost(const outbound::Call& call, const std::string& key) {
        gateway->send(call, key, CorrelationId("lost"), nullptr);
    }
    void lost_charge(const std::string& order, int attempt = 1) {
        const std::string key = payment_key(order, attempt);
        lost(gateway->charge({order, attempt, key, usd(5000), "user:1"}), key);
    }
    void lost_refund(const payments::Payment& of, int n, std::int64_t amount) {
        const std::string key = refund_key(of.order_id, n);
        lost(gateway->refund({of.order_id, key, of.reference, usd(amount), "user:1"}), key);
    }
    void lost_capture(const payments::Payment& of, int n, std::int64_t amount, bool final) {
        const std::string key = capture_key(of.order_id, of.attempt, n);
        lost(gateway->capture({{of.key, key}, of.reference, usd(amount), final}), key);
    }
    static Money usd(std::int64_t amount) { return {amount, Currency::parse("USD").value()}; }
    std::string note_of(const std::string& key) {
        return value("SELECT note FROM workflow_runs WHERE signal_key = '" + key + "'");
    }
    Result<RunChange> act(RunAct what, const std::string& key) {
        RunInstruction instruction;
        instruction.act = what;
        instruction.run_id =
            std::stoll(value("SELECT run_id FROM workflow_runs WHERE signal_key = '" + key + "'"));
        instruction.principal = "ana";
        instruction.reason = "compared";
        return apply_operator_action(session, instruction, clock.now());
    }
    int charged() {
        int all = 0;
        for (const auto& [key, times] : gateway->charges) all += times;
        return all;
    }
};

TEST_F(Recovery, WithoutOneNothingIsAskedBeforeASend) {
    paid();
    EXPECT_EQ(gateway->lookups, 0);
}

TEST_F(Recovery, ChargeThatTheGatewayHasIsSettledAndNotSentAgain) {
    lost_charge("o1");
    recover();
    const auto asked = begin("o1");
    rounds();
    EXPECT_EQ(state(asked.id), "succeeded");
    EXPECT_EQ(gateway->charges[asked.key], 1);
    EXPECT_EQ(gateway->sends.size(), 1U) << "the lost one";
    EXPECT_EQ(balance(), 5000);
    EXPECT_EQ(value("SELECT state FROM orders"), "paid");
    expect_books_hold();
}

TEST_F(Recovery, ChargeThatIsNotFoundIsSentAfterOneQuestion) {
    recover();
    const auto fresh = begin("o1");
    rounds();
    EXPECT_EQ(state(fresh.id), "succeeded");
    EXPECT_EQ(gateway->lookups, 1);
    EXPECT_EQ(charged(), 1);
    expect_books_hold();
}

// A search index may lag: the send that was lost may have been made until the recovery began.
TEST_F(Recovery, NotFoundIsFinalOnlySoLongAfterTheRecoveryBegan) {
    gateway->find_finally_after(hours(1));
    recover();
    const auto fresh = begin("o1");
    rounds();
    rounds(minutes(55));
    EXPECT_EQ(gateway->sends.size(), 0U);
    EXPECT_EQ(state(fresh.id), "created");
    rounds(minutes(6));
    EXPECT_EQ(state(fresh.id), "succeeded");
    EXPECT_EQ(charged(), 1);
}

TEST_F(Recovery, ChargeThatTheIndexShowsLateIsNotSent) {
    gateway->find_finally_after(hours(1));
    lost_charge("o1");
    gateway->lookup_finds = false;
    recover();
    const auto asked = begin("o1");
    rounds();
    gateway->lookup_finds = true;
    rounds(minutes(61));
    EXPECT_EQ(state(asked.id), "succeeded");
    EXPECT_EQ(charged(), 1);
}

TEST_F(Recovery, WhereNotFoundIsNeverFinalAnOperatorDecides) {
    gateway->find_finally_after(std::nullopt);
    recover();
    const auto unclear = begin("o1");
    rounds();
    EXPECT_EQ(state(unclear.id), "needs_review");
    EXPECT_EQ(gateway->sends.size(), 0U);
    EXPECT_NE(note_of(unclear.key).find("pawl recover --end"), std::string::npos);
    ASSERT_TRUE(act(RunAct::resume, unclear.key));
    rounds();
    EXPECT_EQ(gateway->sends.size(), 0U) << "while it is on";
    end_recovery();
    ASSERT_TRUE(act(RunAct::resume, unclear.key));
    rounds();
    EXPECT_EQ(state(unclear.id), "succeeded");
    EXPECT_EQ(charged(), 1);
}

TEST_F(Recovery, GatewayThatDoesNotAnswerKeepsTheChargeFromBeingSent) {
    lost_charge("o1");
    gateway->down = true;
    recover();
    const auto asked = begin("o1");
    for (int i = 0; i < 30; ++i) rounds(seconds(20));
    EXPECT_EQ(gateway->sends.size(), 1U);
    EXPECT_GE(gateway->lookups, 4);
    gateway->down = false;
    rounds(minutes(20));
    EXPECT_EQ(state(asked.id), "succeeded");
    EXPECT_EQ(charged(), 1);
}

TEST_F(Recovery, LaterAttemptThatWasLostIsTakenOverAndNoNumberIsSentTwice) {
    lost_charge("o1", 2);
    recover();
    const auto asked = begin("o1");
    rounds();
    EXPECT_EQ(state(asked.id), "needs_review");
    EXPECT_NE(note_of(asked.key).find("pay:o1:2"), std::string::npos) << note_of(asked.key);
    ASSERT_TRUE(act(RunAct::new_attempt, asked.key));
    rounds();
    EXPECT_EQ(value("SELECT state FROM payments WHERE attempt = 2"), "succeeded");
    EXPECT_EQ(charged(), 1);
    EXPECT_EQ(balance(), 5000);
    expect_books_hold();
}

TEST_F(Recovery, LaterAttemptThatWasCanceledThereStandsInNoWay) {
    gateway->faults = {Fault::processing};
    lost_charge("o1", 2);
    lost(gateway->cancel(gateway->reference_of("pay:o1:2")), "cancel:o1:2");
    recover();
    const auto asked = begin("o1");
    rounds();
    EXPECT_EQ(state(asked.id), "succeeded");
    EXPECT_EQ(charged(), 1);
}

TEST_F(Recovery, EarlierAttemptThatSucceededAfterItsDeclineKeepsTheNextFromBeingSent) {
    gateway->faults = {Fault::declined};
    const auto first = begin("o1");
    rounds();
    ASSERT_EQ(state(first.id), "declined");
    gateway->act(first.key);  // its webhook was lost
    recover();
    const auto second = begin("o1");
    rounds();
    EXPECT_EQ(state(second.id), "needs_review");
    EXPECT_NE(note_of(second.key).find("declined here"), std::string::npos);
    EXPECT_EQ(charged(), 1);
}

TEST_F(Recovery, CallInDoubtIsNotResentBeforeTheGatewayWasAsked) {
    gateway->faults = {Fault::timeout_before};
    const auto unclear = begin("o1");
    rounds();
    ASSERT_EQ(state(unclear.id), "unknown");
    lost_charge("o1");  // its resend, whose commit is lost
    recover();
    rounds(seconds(30));
    EXPECT_EQ(state(unclear.id), "succeeded");
    EXPECT_EQ(charged(), 1);
    EXPECT_EQ(balance(), 5000);
}

TEST_F(Recovery, OneQuestionIsEnoughForTheResendsOfACall) {
    recover();
    gateway->faults = {Fault::timeout_before, Fault::server_error};
    const auto slow = begin("o1");
    rounds();
    rounds(minutes(1));
    rounds(minutes(1));
    EXPECT_EQ(state(slow.id), "succeeded");
    EXPECT_EQ(gateway->sends.size(), 3U);
    EXPECT_EQ(gateway->lookups, 1);
}

TEST_F(Recovery, RestartedAfterAnotherLossRepeatsItsQuestions) {
    recover();
    gateway->faults = {Fault::timeout_before};
    const auto unclear = begin("o1");
    rounds();
    lost_charge("o1");
    recover();
    rounds(minutes(1));
    EXPECT_EQ(state(unclear.id), "succeeded");
    EXPECT_EQ(charged(), 1);
}

TEST_F(Recovery, AfterItsEndOnlyOrdersFromBeforeItAreAskedAbout) {
    recover();
    end_recovery();
    lost_charge("old");
    const auto old = begin("old");
    database.run("UPDATE orders SET created_at = created_at - interval '1 day'");
    rounds();
    EXPECT_EQ(state(old.id), "succeeded");
    EXPECT_EQ(charged(), 1);
    EXPECT_EQ(gateway->lookups, 1);
    clock.advance(minutes(1));
    begin("new");
    rounds();
    EXPECT_EQ(charged(), 2);
    EXPECT_EQ(gateway->lookups, 1);
}

TEST_F(Recovery, WebhookOfALostChargeIsPostedAndItsCallIsNotSent) {
    lost_charge("o1");
    recover();
    const auto asked = begin("o1");
    report("evt_1", asked, 5000);
    rounds();
    EXPECT_EQ(state(asked.id), "succeeded");
    EXPECT_EQ(run_of(asked.key), "done");
    EXPECT_EQ(balance(), 5000);
    EXPECT_EQ(charged(), 1);
    expect_books_hold();
}

TEST_F(Recovery, RefundThatTheGatewayHasIsSettledAndNotSentAgain) {
    const auto charged_order = paid();
    lost_refund(charged_order, 1, 2000);
    recover();
    const auto asked = std::get<payments::Refund>(begin_refund(charged_order, 2000));
    rounds();
    EXPECT_EQ(refund_state(asked.id), "succeeded");
    EXPECT_EQ(gateway->refunds_done[asked.key], 1);
    EXPECT_EQ(balance(), 3000);
    expect_books_hold();
}

TEST_F(Recovery, RefundOfALaterNumberThatWasLostKeepsTheNextFromBeingSent) {
    gateway->lists_refunds = true;
    const auto charged_order = paid();
    lost_refund(charged_order, 2, 2000);
    recover();
    const auto asked = std::get<payments::Refund>(begin_refund(charged_order, 2000));
    rounds();
    EXPECT_EQ(refund_state(asked.id), "needs_review");
    EXPECT_NE(note_of(asked.key).find("refund:o1:2"), std::string::npos);
    EXPECT_EQ(gateway->refunds_done[asked.key], 0);
}

TEST_F(Recovery, CaptureThatTheGatewayHasIsSettledAndNotSentAgain) {
    const auto held = authorized();
    lost_capture(held, 1, 5000, true);
    recover();
    const auto asked = begin_capture(held);
    rounds();
    EXPECT_EQ(capture_state(asked.id), "succeeded");
    EXPECT_EQ(gateway->captures_done[asked.key], 1);
    EXPECT_EQ(balance(), 5000);
    expect_books_hold();
}

TEST_F(Recovery, CaptureOfALaterNumberThatWasLostKeepsTheNextFromBeingSent) {
    const auto held = authorized();
    lost_capture(held, 2, 3000, false);
    recover();
    const auto asked = begin_capture(held, 2000);
    rounds();
    EXPECT_EQ(capture_state(asked.id), "needs_review");
    EXPECT_EQ(gateway->captures_done[asked.key], 0);
    ASSERT_TRUE(act(RunAct::resume, held.key));
    rounds();
    ASSERT_EQ(balance(), 3000) << "what was lost is credited";
    ASSERT_TRUE(act(RunAct::resume, asked.key));
    rounds();
    EXPECT_EQ(capture_state(asked.id), "succeeded");
    EXPECT_EQ(balance(), 5000);
    expect_books_hold();
}

TEST_F(Recovery, CancelIsSentAfterTheGatewayWasAsked) {
    const auto held = authorized();
    gateway->busy = seconds(60);
    recover();
    ASSERT_TRUE(cancel(held));
    rounds();
    EXPECT_EQ(gateway->voids[held.key], 0) << "no question is answered";
    gateway->busy = std::nullopt;
    rounds(minutes(2));
    EXPECT_EQ(state(held.id), "canceled");
    EXPECT_EQ(gateway->voids[held.key], 1);
}

// Its tables never had a send: canceled unasked, the payer's money would stay there.
TEST_F(Recovery, CancelOfAChargeWhoseSendWasLostGivesTheMoneyBack) {
    lost_charge("o1");
    recover();
    const auto asked = begin("o1");
    ASSERT_TRUE(cancel(asked));
    rounds();
    EXPECT_EQ(state(asked.id), "refunded");
    EXPECT_EQ(gateway->refunds_done["refund:o1:1"], 1);
    EXPECT_EQ(balance(), 0);
    expect_books_hold();
}

TEST_F(Recovery, IsInTheAuditLogWithPrincipalAndReasonAndListedUntilItsEnd) {
    const auto listed = [&] {
        std::string kinds;
        const auto page = intents::list_attention(session, {clock.now(), {{"test"}, {}}, {}});
        for (const auto& item : page->items) kinds += item.kind + ": " + *item.reason;
        return kinds;
    };
    EXPECT_TRUE(access::begin_recovery(session, {"ana", "restored the backup", "link 7"}));
    EXPECT_FALSE(access::begin_recovery(session, {"bob", "restored it once more"}));
    EXPECT_EQ(listed(), "recovery: restored it once more");
    EXPECT_TRUE(access::last_recovery(session)->is_on());
    EXPECT_TRUE(access::end_recovery(session, "ana", "all is compared"));
    EXPECT_FALSE(access::end_recovery(session, "ana", "twice"));
    EXPECT_EQ(listed(), "");
    EXPECT_FALSE(access::last_recovery(session)->is_on());
    EXPECT_EQ(value("SELECT string_agg(principal || ' ' || action || ' ' || reason, '; ' ORDER BY "
                    "audit_id) FROM audit_log"),
              "ana recovery.begin restored the backup; bob recovery.begin restored it once more; "
              "ana recovery.end all is compared");
}

// A send that has read "no recovery" is committed before the recovery begins.
TEST_F(Recovery, BeginsAfterTheSendsThatWereAboutToBeCommitted) {
    db::Session slow = database.session();
    db::Transaction sending(slow);
    sending.run(sql::MustAsk{.key = "pay:o1:1", .order_id = "o1"});
    db::SessionOptions options = database.options();
    options.lock_timeout = std::chrono::milliseconds(200);
    db::Session impatient(options);
    EXPECT_THROW(access::begin_recovery(impatient, {"ana", "restored"}), db::Failure);
    sending.commit();
    recover();
    EXPECT_TRUE(access::last_recovery(session)->is_on());
}

}  // namespace
}  // namespace pawl::workflows
