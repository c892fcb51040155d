// Rules of provider files against a real ledger: bodies as a provider sends them, read by a
// compiled file, committed.
#include <gtest/gtest.h>

#include <stdexcept>

#include "intents/accept/accept.hpp"
#include "intents/operator/operating.hpp"
#include "intents/operator/transfer_acts.hpp"
#include "intents/queries/attention.hpp"
#include "intents/verify/verify.hpp"
#include "providers/provider.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"

namespace pawl {
namespace {

using providers::Action;
using providers::AmountIs;
using providers::OrderingPolicy;
using providers::ProviderConfig;
using providers::RuleConfig;

RuleConfig money(const std::string& when, Action action, const std::string& kind) {
    RuleConfig rule;
    rule.when = when;
    rule.action = action;
    rule.account = "/account";
    rule.amount = "/amount";
    rule.currency = "/currency";
    rule.effect_key = {{kind, false}, {"/object", false}};
    return rule;
}

ProviderConfig file(std::vector<RuleConfig> rules, CaptureShape captures = CaptureShape::one) {
    ProviderConfig config;
    config.name = "demo";
    config.preset = "standard-webhooks";
    config.secrets = {"whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"};
    config.read.event_id = {{"/id", false}};
    config.read.type = {{"/type", false}};
    config.read.object = {{"/object", false}};
    config.read.sequence = "/sequence";
    config.read.time = {"/at", providers::TimeUnit::seconds};
    config.captures = captures;
    config.rules = std::move(rules);
    return config;
}

class MoneyRules : public ::testing::Test {
  protected:
    ~MoneyRules() override {
        db::Session patient = database.owner();
        for (const auto& one : intents::verify(patient)) {
            if (one.for_attention) continue;
            for (const auto& breach : one.breaches) {
                ADD_FAILURE() << one.name << ": " << breach.subject << " " << breach.what;
            }
        }
    }

    void use(ProviderConfig config) {
        auto made = providers::Provider::create(std::move(config));
        if (!made) throw std::runtime_error(made.error().message);
        provider.emplace(std::move(*made));
    }
    // "applied", "quarantined total_fell", ...; of a batch, one after the other.
    std::string come(const std::string& body) {
        providers::Delivery delivery;
        delivery.body = body;
        delivery.received_at = SystemClock().now();
        auto received = provider->read_again(delivery);
        intents::Submission submission;
        submission.provider = ProviderName("demo");
        submission.books = provider->config().books;
        submission.delivery = delivery;
        submission.correlation_id = CorrelationId("c");
        submission.events = std::move(received.events);
        std::string text;
        const auto answers = testing::commit(session, {submission});
        for (const auto& answer : answers[0]) {
            text += (text.empty() ? "" : ", ") + std::string(to_text(answer.outcome));
            if (!answer.note.empty()) text += " " + answer.note;
        }
        return text;
    }
    std::string say(const std::string& id, const std::string& type, std::int64_t amount,
                    std::int64_t sequence = 0, const std::string& currency = "USD") {
        const std::string number = sequence == 0 ? "" : ",\"sequence\":" + std::to_string(sequence);
        return come("{\"id\":\"" + id + "\",\"type\":\"" + type +
                    "\",\"object\":\"p1\",\"account\":\"user:1\",\"currency\":\"" + currency +
                    "\",\"amount\":" + std::to_string(amount) + number + "}");
    }
    // The first capture, to another account.
    void correct(const std::string& account,
                 const std::string& which = "effect_key LIKE 'demo/capture/%'") {
        const std::int64_t captured =
            std::stoll(database.value("SELECT min(id) FROM transfers WHERE " + which));
        const auto done = intents::apply_transfer_act(
            session,
            intents::CorrectTransfer{captured, "to " + account, AccountId(account), std::nullopt},
            {"ana", "the shop named another account"}, SystemClock().now());
        EXPECT_TRUE(std::holds_alternative<intents::TransferActDone>(done));
    }
    // An operator's act: what became of the event, or the code of the refusal.
    std::string act(intents::Act what, const std::string& id, const intents::Assignment& given = {},
                    Duration later = {}) {
        const auto done = intents::apply_operator_action(
            session, *provider, {what, id, "ana", "looked at", given}, SystemClock().now() + later);
        if (!done) return done.code;
        return std::string(to_text(done->outcome)) + (done->note.empty() ? "" : " " + done->note);
    }
    std::string post(const std::string& id) { return act(intents::Act::post, id); }
    // The reasons for which an operator is asked to look.
    std::string attention() {
        std::string all;
        const intents::AttentionFilter filter{SystemClock().now(), {}, {}, "", 9};
        const auto page = intents::list_attention(session, filter).value();
        for (const auto& one : page.items) {
            all += one.kind + " " + one.reason.value_or("") + " " + one.example + ";";
        }
        return all;
    }
    std::string breaches_of(const std::string& invariant) {
        db::Session owner = database.owner();
        std::string all;
        for (const auto& one : intents::verify(owner)) {
            for (const auto& breach : one.breaches) {
                if (one.name == invariant) all += breach.subject + " " + breach.what + ";";
            }
        }
        return all;
    }
    void operate(const intents::TransferAct& act) {
        const auto done = intents::apply_transfer_act(session, act, {"ana", "posted wrongly"},
                                                      SystemClock().now());
        EXPECT_TRUE(std::holds_alternative<intents::TransferActDone>(done));
    }
    std::string refusal_of(const intents::TransferAct& act) {
        const auto done = intents::apply_transfer_act(session, act, {"ana", "posted wrongly"},
                                                      SystemClock().now());
        const auto* refused = std::get_if<intents::TransferActRefused>(&done);
        return refused == nullptr ? "" : refused->code;
    }
    std::int64_t transfer(const std::string& effect_key) {
        return std::stoll(
            database.value("SELECT id FROM transfers WHERE effect_key = '" + effect_key + "'"));
    }
    std::string balance(const std::string& currency = "USD") {
        return database.value(
            "SELECT amount FROM balances WHERE account = 'user:1' "
            "AND currency = '" +
            currency + "'");
    }

    testing::TestDatabase database;
    db::Session session = database.session();
    std::optional<providers::Provider> provider;
    int count = 0;
};

TEST_F(MoneyRules, AHigherTotalUnderOneKeyPostsTheDifference) {
    RuleConfig rule = money("captured", Action::credit, "capture");
    rule.amount_is = AmountIs::total;
    use(file({rule}, CaptureShape::total));
    EXPECT_EQ(say("1", "captured", 60, 1), "applied");
    EXPECT_EQ(say("2", "captured", 100, 2), "applied");
    EXPECT_EQ(balance(), "100");
    EXPECT_EQ(say("3", "captured", 100, 3), "duplicate_effect posted by 2");
    EXPECT_EQ(say("4", "captured", 80, 1), "stale");
    EXPECT_EQ(say("5", "captured", 80, 9), "quarantined total_fell");
    EXPECT_EQ(balance(), "100");
}

TEST_F(MoneyRules, ATotalFromBeforeAnEqualOneIsStale) {
    RuleConfig rule = money("captured", Action::credit, "capture");
    rule.amount_is = AmountIs::total;
    use(file({rule}, CaptureShape::total));
    EXPECT_EQ(say("1", "captured", 100, 1), "applied");
    EXPECT_EQ(say("2", "captured", 100, 3), "duplicate_effect posted by 1");
    EXPECT_EQ(say("3", "captured", 70, 2), "stale");
    EXPECT_EQ(say("4", "captured", 100, 1), "duplicate_effect posted by 1");
    EXPECT_EQ(say("5", "captured", 60, 2), "stale") << "an older report takes nothing back";
    EXPECT_EQ(say("6", "captured", 70, 4), "quarantined total_fell");
    EXPECT_EQ(database.value("SELECT total || ' ' || last_sequence FROM running_totals"), "100 3");
}

TEST_F(MoneyRules, TotalsOfCapturesAndOfRefundsOfOneObjectAreTwo) {
    RuleConfig captured = money("captured", Action::credit, "capture");
    captured.amount_is = AmountIs::total;
    RuleConfig refunded = money("refunded", Action::debit, "refund_total");
    refunded.amount_is = AmountIs::total;
    use(file({captured, refunded}, CaptureShape::total));
    EXPECT_EQ(say("1", "captured", 60), "applied");
    EXPECT_EQ(say("2", "refunded", 60), "applied");
    EXPECT_EQ(balance(), "0");
    EXPECT_EQ(say("3", "captured", 100), "applied");
    EXPECT_EQ(balance(), "40");
}

TEST_F(MoneyRules, SetBalanceHasASequenceForEachCurrency) {
    RuleConfig rule = money("balance", Action::set_balance, "balance");
    rule.order = OrderingPolicy::strict;
    rule.effect_key = {
        {"balance", false}, {"/account", false}, {"/currency", false}, {"/sequence", false}};
    use(file({rule}));
    EXPECT_EQ(say("1", "balance", 100, 5), "applied");
    EXPECT_EQ(say("2", "balance", 70, 4, "EUR"), "applied");
    EXPECT_EQ(balance("EUR"), "70");
}

TEST_F(MoneyRules, BadItemDoesNotAffectTheOthersOfItsBatch) {
    ProviderConfig config = file({money("captured", Action::credit, "capture")});
    config.read.items = "/items";
    use(std::move(config));
    const auto item = [](const std::string& id, const std::string& more) {
        return "{\"id\":\"" + id + "\",\"type\":\"captured\",\"object\":\"" + id +
               "\",\"account\":\"user:1\",\"currency\":\"USD\",\"amount\":10" + more + "}";
    };
    for (const char* bad : {",\"x\":\"\\ud800\"", ",\"amount\":10", ",\"x\":\"\xff\""}) {
        const std::string id = std::to_string(count++);
        EXPECT_EQ(come("{\"items\":[" + item("a" + id, "") + "," + item("b" + id, bad) + "," +
                       item("c" + id, "") + "]}"),
                  "applied, quarantined unreadable, applied")
            << bad;
    }
    EXPECT_EQ(balance(), "60");
}

TEST_F(MoneyRules, AnIgnoredEventTakesItsPlaceInAHeldSequence) {
    RuleConfig held = money("captured", Action::credit, "capture");
    held.order = OrderingPolicy::hold;
    RuleConfig ignored;
    ignored.when = "*";
    use(file({held, ignored}));
    EXPECT_EQ(say("1", "created", 0, 1), "ignored");
    EXPECT_EQ(say("2", "captured", 10, 2), "applied");
}

// A payment of the account user:1 with refunds, bounces, disputes and their fees, which name it
// not.
ProviderConfig payments_file() {
    RuleConfig captured = money("captured", Action::credit, "capture");
    captured.effect_key = {{"capture", false}, {"/payment", false}, {"/object", false}};
    RuleConfig refunded = money("refunded", Action::debit, "refund");
    refunded.account = "needs";
    refunded.needs = {{{"capture", false}, {"/payment", false}}};
    RuleConfig bounced = money("bounced", Action::credit, "refund_failed");
    bounced.account = "needs";
    bounced.needs = {{{"refund", false}, {"/object", false}}};
    bounced.unmet = providers::Unmet::ignore;
    RuleConfig withdrawn;
    withdrawn.when = "withdrawn";
    withdrawn.currency = "/currency";
    withdrawn.needs = refunded.needs;
    withdrawn.dispute = providers::Dispute::opened;
    withdrawn.moves.resize(2);
    withdrawn.moves[0].action = Action::debit;
    withdrawn.moves[0].account = "needs";
    withdrawn.moves[0].amount = "-/amount";
    withdrawn.moves[0].effect_key = {{"dispute", false}, {"/object", false}, {"/step", false}};
    withdrawn.moves[1].action = Action::debit;
    withdrawn.moves[1].account = "fees:demo";
    withdrawn.moves[1].amount = "/fee";
    withdrawn.moves[1].effect_key = {{"fee", false}, {"/step", false}};
    RuleConfig won;
    won.when = "won";
    won.needs = refunded.needs;
    won.dispute = providers::Dispute::won;
    return file({captured, refunded, bounced, withdrawn, won}, CaptureShape::ids);
}

class PaymentRules : public MoneyRules {
  protected:
    PaymentRules() { use(payments_file()); }
    std::string report(const std::string& type, const std::string& object, std::int64_t amount,
                       std::int64_t at = 0, const std::string& more = "") {
        return come("{\"id\":\"" + std::to_string(++count) + "\",\"type\":\"" + type +
                    "\",\"object\":\"" + object +
                    "\",\"payment\":\"p1\",\"account\":\"user:1\",\"currency\":\"USD\"" +
                    ",\"amount\":" + std::to_string(amount) +
                    (at > 0 ? ",\"at\":" + std::to_string(at) : "") + more + "}");
    }
    std::string dispute() { return database.value("SELECT state FROM disputes"); }
};

TEST_F(PaymentRules, ARefundThatComesFirstIsReleasedByACaptureBelowTheRoot) {
    EXPECT_EQ(report("refunded", "r1", 30), "parked waiting for demo/capture/p1");
    EXPECT_EQ(report("captured", "c1", 60), "applied");
    EXPECT_EQ(report("captured", "c2", 40), "applied");
    EXPECT_EQ(balance(), "70");
    EXPECT_EQ(database.value("SELECT count(*) FROM transfers WHERE payment_key = "
                             "'demo/capture/p1'"),
              "3");
    EXPECT_EQ(database.value("SELECT account || ' ' || outcome FROM webhook_intents WHERE "
                             "object = 'r1'"),
              "user:1 applied");
}

TEST_F(PaymentRules, CaptureRefundAndBounceOfOneBatchFindTheirAccount) {
    ProviderConfig config = payments_file();
    config.read.items = "/items";
    use(std::move(config));
    const auto item = [](const char* id, const char* type, const char* object) {
        return std::string("{\"id\":\"") + id + "\",\"type\":\"" + type + "\",\"object\":\"" +
               object + "\",\"payment\":\"p1\",\"account\":\"user:1\",\"currency\":\"USD\"," +
               "\"amount\":10,\"at\":5}";
    };
    EXPECT_EQ(come("{\"items\":[" + item("1", "bounced", "r") + "," + item("2", "refunded", "r") +
                   "," + item("3", "captured", "c") + "]}"),
              "ignored nothing_to_return, parked waiting for demo/capture/p1, applied");
    EXPECT_EQ(database.value("SELECT string_agg(outcome, ' ' ORDER BY event_id) "
                             "FROM webhook_intents"),
              "applied applied applied");
    EXPECT_EQ(balance(), "10");
}

TEST_F(PaymentRules, ABounceThatComesFirstIsAppliedWithTheRefund) {
    report("captured", "c1", 100);
    EXPECT_EQ(report("bounced", "r1", 30, 20), "ignored nothing_to_return");
    EXPECT_EQ(report("refunded", "r1", 30, 10), "applied");
    EXPECT_EQ(balance(), "100");
    EXPECT_EQ(report("refunded", "r1", 30, 30), "applied") << "again, after the bounce";
    EXPECT_EQ(balance(), "70");
    EXPECT_EQ(database.value("SELECT string_agg(effect_key, ' ' ORDER BY id) FROM transfers "
                             "WHERE effect_key LIKE '%refund%'"),
              "demo/refund/r1 demo/refund_failed/r1 demo/refund/r1#2");
}

TEST_F(PaymentRules, ABounceOfWhatNeverSucceededMovesNothing) {
    report("captured", "c1", 100);
    EXPECT_EQ(report("bounced", "r1", 30, 20), "ignored nothing_to_return");
    EXPECT_EQ(report("refunded", "r1", 30, 30), "applied") << "a later attempt";
    EXPECT_EQ(balance(), "70");
}

TEST_F(PaymentRules, ADisputeMovesAmountAndFeeAndMarksItsPayment) {
    report("captured", "c1", 100);
    EXPECT_EQ(report("withdrawn", "d1", -80, 0, ",\"fee\":15,\"step\":\"t1\""), "applied");
    EXPECT_EQ(balance(), "20");
    EXPECT_EQ(database.value("SELECT amount FROM balances WHERE account = 'fees:demo'"), "-15");
    EXPECT_EQ(dispute(), "opened");
    EXPECT_EQ(report("won", "d1", 0), "ignored");
    EXPECT_EQ(dispute(), "won");
    report("withdrawn", "d1", -80, 0, ",\"fee\":15,\"step\":\"t1\"");
    EXPECT_EQ(dispute(), "won") << "a late report opens nothing";
    EXPECT_EQ(database.value("SELECT count(*) FROM staged_jobs WHERE payload ->> 'type' LIKE "
                             "'dispute.%'"),
              "2");
}

TEST_F(PaymentRules, AnEventPostsAllOfItsMovementsOrNone) {
    report("captured", "c1", 100);
    EXPECT_EQ(report("withdrawn", "d1", -80, 0, ",\"fee\":15,\"step\":\"t1\""), "applied");
    EXPECT_EQ(report("withdrawn", "d2", -10, 0, ",\"fee\":16,\"step\":\"t1\""),
              "quarantined effect_conflict");
    EXPECT_EQ(balance(), "20");
}

TEST_F(PaymentRules, ACaptureInAnotherShapeIsAConflict) {
    report("captured", "c1", 100);
    use(file({money("captured", Action::credit, "capture")}));
    EXPECT_EQ(come(R"({"id":"x","type":"captured","object":"p1","account":"user:1",)"
                   R"("currency":"USD","amount":100})"),
              "quarantined effect_conflict");
    EXPECT_EQ(balance(), "100");
}

TEST_F(PaymentRules, TheAccountOfARefundIsTheOneThatACorrectionMovedItTo) {
    report("captured", "c1", 100);
    correct("user:2");
    EXPECT_EQ(balance(), "0");
    EXPECT_EQ(report("refunded", "r1", 30), "applied");
    EXPECT_EQ(database.value("SELECT amount FROM balances WHERE account = 'user:2'"), "70");
}

std::string sum(const std::string& account) {
    return "SELECT coalesce(sum(amount), 0) FROM balances WHERE account = '" + account + "'";
}

constexpr const char* all_balances =
    "SELECT string_agg(account || ' ' || amount, ', ' ORDER BY account) FROM balances";

TEST_F(PaymentRules, ARefundThatSucceedsAgainIsTakenFromTheAccountThatACorrectionMovedItTo) {
    report("captured", "c1", 100);
    EXPECT_EQ(report("refunded", "r1", 30, 10), "applied");
    EXPECT_EQ(report("bounced", "r1", 30, 20), "applied");
    correct("user:2");
    EXPECT_EQ(report("refunded", "r1", 30, 30), "applied");
    EXPECT_EQ(database.value(sum("user:1")) + " " + database.value(sum("user:2")), "0 70");
    EXPECT_EQ(report("bounced", "r1", 30, 40), "applied");
    EXPECT_EQ(database.value(sum("user:1")) + " " + database.value(sum("user:2")), "0 100");
}

TEST_F(PaymentRules, ABounceAfterACorrectionAndTheRefundAfterItMoveTheNewAccount) {
    report("captured", "c1", 100);
    EXPECT_EQ(report("refunded", "r1", 30, 10), "applied");
    correct("user:2");
    EXPECT_EQ(report("bounced", "r1", 30, 20), "applied");
    EXPECT_EQ(report("refunded", "r1", 30, 30), "applied");
    EXPECT_EQ(database.value(sum("user:1")) + " " + database.value(sum("user:2")), "0 70");
}

TEST_F(PaymentRules, ABounceThatWasADuplicateMovesTheNewAccountOnceTheRefundBeforeItComes) {
    report("captured", "c1", 100);
    report("refunded", "r1", 30, 10);
    report("bounced", "r1", 30, 20);
    EXPECT_EQ(report("bounced", "r1", 30, 40).substr(0, 16), "duplicate_effect");
    correct("user:2");
    EXPECT_EQ(report("refunded", "r1", 30, 30), "applied");
    EXPECT_EQ(database.value("SELECT string_agg(effect_key, ' ' ORDER BY id) FROM transfers "
                             "WHERE effect_key LIKE '%#2' AND effect_key LIKE 'demo/%'"),
              "demo/refund/r1#2 demo/refund_failed/r1#2");
    EXPECT_EQ(database.value(sum("user:1")) + " " + database.value(sum("user:2")), "0 100");
}

// The rule names the account of the bounce; that of the refund is another since the correction.
TEST_F(PaymentRules, ARefundThatWasADuplicateMovesTheNewAccountWithABounceThatNamesTheOld) {
    ProviderConfig config = payments_file();
    config.rules[2].account = "/account";
    use(std::move(config));
    report("captured", "c1", 100);
    report("refunded", "r1", 30, 10);
    EXPECT_EQ(report("refunded", "r1", 30, 30).substr(0, 16), "duplicate_effect");
    correct("user:2");
    EXPECT_EQ(report("bounced", "r1", 30, 20), "applied");
    EXPECT_EQ(database.value(sum("user:1")) + " " + database.value(sum("user:2")), "0 70");
}

TEST_F(PaymentRules, ADisputeAfterACorrectionIsTakenFromTheNewAccount) {
    report("captured", "c1", 100);
    correct("user:2");
    EXPECT_EQ(report("withdrawn", "d1", -80, 0, ",\"fee\":15,\"step\":\"t1\""), "applied");
    EXPECT_EQ(report("withdrawn", "d1", -80, 0, ",\"fee\":15,\"step\":\"t1\"").substr(0, 16),
              "duplicate_effect");
    EXPECT_EQ(database.value(sum("user:1")) + " " + database.value(sum("user:2")), "0 20");
}

TEST_F(MoneyRules, ATotalOfRefundsContinuesFromTheAccountThatACorrectionMovedItTo) {
    RuleConfig captured = money("captured", Action::credit, "capture");
    RuleConfig refunded = money("refunded", Action::debit, "refund_total");
    refunded.amount_is = AmountIs::total;
    refunded.account = "needs";
    refunded.needs = {captured.effect_key};
    use(file({captured, refunded}));
    EXPECT_EQ(say("1", "captured", 100, 1), "applied");
    EXPECT_EQ(say("2", "refunded", 30, 2), "applied");
    correct("user:2");
    EXPECT_EQ(say("3", "refunded", 50, 3), "applied");
    EXPECT_EQ(database.value(sum("user:1")) + " " + database.value(sum("user:2")), "0 50");
}

TEST_F(PaymentRules, ACaptureGoesToTheAccountThatACorrectionMovedItsPaymentTo) {
    report("captured", "c1", 100);
    correct("user:2");
    EXPECT_EQ(report("captured", "c2", 50), "applied");
    EXPECT_EQ(report("captured", "c1", 100), "duplicate_effect posted by 1");
    EXPECT_EQ(report("captured", "c2", 50), "duplicate_effect posted by 2");
    EXPECT_EQ(report("refunded", "r1", 150), "applied");
    EXPECT_EQ(database.value(all_balances), "user:1 0, user:2 0");
    correct("user:3", "effect_key LIKE 'operator/%' AND credit_account = 'user:2'");
    EXPECT_EQ(report("captured", "c3", 20), "applied");
    EXPECT_EQ(report("captured", "c2", 50), "duplicate_effect posted by 2");
    EXPECT_EQ(database.value(all_balances), "user:1 0, user:2 0, user:3 20");
}

TEST_F(PaymentRules, ACaptureThatNamesAnotherAccountThanTheMovedOneKeepsItsOwn) {
    report("captured", "c1", 100);
    correct("user:2");
    EXPECT_EQ(come(R"({"id":"x","type":"captured","object":"c2","payment":"p1",)"
                   R"("account":"user:9","currency":"USD","amount":5})"),
              "applied");
    EXPECT_EQ(database.value(all_balances), "user:1 0, user:2 100, user:9 5");
}

TEST_F(MoneyRules, ATotalGrowsAndFallsInTheAccountThatACorrectionMovedItsPaymentTo) {
    RuleConfig rule = money("captured", Action::credit, "capture");
    rule.amount_is = AmountIs::total;
    use(file({rule}, CaptureShape::total));
    EXPECT_EQ(say("1", "captured", 60, 1), "applied");
    correct("user:2");
    EXPECT_EQ(say("2", "captured", 60, 2), "duplicate_effect posted by 1");
    EXPECT_EQ(say("3", "captured", 100, 3), "applied");
    EXPECT_EQ(say("4", "captured", 100, 4), "duplicate_effect posted by 3");
    EXPECT_EQ(say("5", "captured", 70, 5), "quarantined total_fell");
    EXPECT_EQ(post("5"), "applied");
    EXPECT_EQ(database.value(all_balances), "user:1 0, user:2 70");
    EXPECT_EQ(say("6", "captured", 100, 6), "applied");
    EXPECT_EQ(database.value(all_balances), "user:1 0, user:2 100");
}

// Such a capture would give the payment a second holder, and a refund is taken from one.
TEST_F(MoneyRules, AConflictThatIsPostedGoesToTheAccountThatHoldsItsPayment) {
    use(file({money("captured", Action::credit, "capture")}));
    EXPECT_EQ(say("1", "captured", 100), "applied");
    const std::string other =
        R"("type":"captured","object":"p1","account":"user:9","currency":"USD","amount":50})";
    EXPECT_EQ(come(R"({"id":"2",)" + other), "quarantined effect_conflict");
    EXPECT_EQ(post("2"), "applied");
    EXPECT_EQ(database.value(all_balances), "user:1 150");
    correct("user:2");
    EXPECT_EQ(come(R"({"id":"3",)" + other), "quarantined effect_conflict");
    EXPECT_EQ(post("3"), "applied");
    EXPECT_EQ(database.value(all_balances), "user:1 0, user:2 200");
}

// Without numbers nothing says whether the provider took money back or the report is an old one.
TEST_F(MoneyRules, ALowerTotalWithoutANumberIsStaleAndListedUntilItIsDismissed) {
    RuleConfig rule = money("captured", Action::credit, "capture");
    rule.amount_is = AmountIs::total;
    use(file({rule}, CaptureShape::total));
    say("1", "captured", 100);
    EXPECT_EQ(say("2", "captured", 70), "stale total_fell");
    EXPECT_EQ(balance(), "100");
    EXPECT_EQ(attention(), "stale total_fell 2;");
    EXPECT_EQ(act(intents::Act::post, "2"), "finished");
    EXPECT_EQ(act(intents::Act::dismiss, "1"), "finished");
    EXPECT_EQ(act(intents::Act::dismiss, "2"), "dismissed total_fell");
    EXPECT_EQ(act(intents::Act::dismiss, "2"), "finished");
    EXPECT_EQ(attention(), "");
}

// The assignment of one movement would stand for all of them.
TEST_F(PaymentRules, AnEventWithSeveralMovementsThatCannotAllBeReadIsNotAssigned) {
    report("captured", "c1", 100);
    EXPECT_EQ(report("withdrawn", "d1", -80, 0, ",\"step\":\"t1\""), "quarantined bad_amount");
    intents::Assignment given;
    given.account = AccountId("user:1");
    given.amount = 80;
    given.currency = Currency::parse("USD").value();
    given.effect_key = EffectKey("demo/dispute/d1:t1");
    EXPECT_EQ(act(intents::Act::assign, "2", given), "bad_assignment");
    EXPECT_EQ(balance(), "100");
}

TEST_F(PaymentRules, ARefundThatTimedOutIsPostedOnceItHasAnAccount) {
    EXPECT_EQ(report("refunded", "r1", 30), "parked waiting for demo/capture/p1");
    EXPECT_EQ(act(intents::Act::release, "1", {}, std::chrono::hours(73)),
              "quarantined needs_timeout");
    EXPECT_EQ(post("1"), "account_unknown");
    intents::Assignment given;
    given.account = AccountId("user:1");
    EXPECT_EQ(act(intents::Act::assign, "1", given, std::chrono::hours(74)),
              "quarantined needs_timeout");
    EXPECT_EQ(post("1"), "applied");
    EXPECT_EQ(balance(), "-30");
}

constexpr const char* within = "returned_within_captures";

TEST_F(PaymentRules, MoreReturnedThanCapturedIsListedAndNoReversalLeadsThere) {
    report("captured", "c1", 100);
    report("refunded", "r1", 30);
    EXPECT_EQ(refusal_of(intents::ReverseTransfer{transfer("demo/capture/p1:c1")}),
              "below_returned");
    EXPECT_EQ(breaches_of(within), "");
    report("refunded", "r2", 71);
    EXPECT_EQ(breaches_of(within), "payment demo/capture/p1 has 101 returned of 100 captured USD;");
}

TEST_F(PaymentRules, MoreReturnedThanCapturedIsListedWhateverWasCorrected) {
    report("captured", "c1", 100);
    correct("user:2");
    report("captured", "c2", 50);
    report("refunded", "r1", 150);
    EXPECT_EQ(breaches_of(within), "") << "corrections of the account move both";
    report("refunded", "r2", 1);
    EXPECT_EQ(breaches_of(within), "payment demo/capture/p1 has 151 returned of 150 captured USD;");
}

TEST_F(PaymentRules, ReturnsBelowZeroAreListed) {
    report("captured", "c1", 100);
    report("refunded", "r1", 30, 10);
    report("bounced", "r1", 40, 20);
    EXPECT_EQ(breaches_of(within), "payment demo/capture/p1 has -10 returned of 100 captured USD;");
    EXPECT_EQ(refusal_of(intents::CorrectTransfer{transfer("demo/refund/r1"), "less", {}, 20}),
              "below_returned");
    EXPECT_EQ(refusal_of(intents::ReverseTransfer{transfer("demo/refund/r1")}), "below_returned");
    operate(intents::CorrectTransfer{transfer("demo/refund_failed/r1"), "less", {}, 30});
    EXPECT_EQ(breaches_of(within), "");
}

}  // namespace
}  // namespace pawl
