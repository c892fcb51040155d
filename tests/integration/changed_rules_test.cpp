// A provider file that is edited after money moved: what its earlier keys have posted counts as
// posted, and a redelivery that is not read as it was the first time is the same event.
#include <gtest/gtest.h>

#include "intents/accept/accept.hpp"
#include "intents/queries/installation.hpp"
#include "intents/verify/verify.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"

namespace pawl::intents {
namespace {

using providers::ProviderConfig;
using providers::ReadParts;
using providers::RuleConfig;

struct Shape {
    std::string books = "demo";
    std::string kind = "capture";
    std::string pointer = "/payment";
    std::vector<ReadParts> formerly = {};
    CaptureShape captures = CaptureShape::one;
    std::string unit = "minor";
};

const std::vector<ReadParts> as_demo = {{{"demo"}, {"capture"}, {"/payment"}}};

RuleConfig capture_rule(const Shape& shape) {
    RuleConfig rule;
    rule.when = "captured";
    rule.action = providers::Action::credit;
    rule.account = "/account";
    rule.amount = "/amount";
    rule.currency = "/currency";
    rule.effect_key = {{shape.kind}, {shape.pointer}};
    if (shape.captures == CaptureShape::ids) rule.effect_key.push_back({"/capture"});
    if (shape.captures == CaptureShape::total) rule.amount_is = providers::AmountIs::total;
    if (shape.unit == "major") rule.unit = providers::AmountUnit::major;
    rule.formerly = shape.formerly;
    return rule;
}

providers::Provider demo(const Shape& shape) {
    ProviderConfig config;
    config.name = "demo";
    config.books = shape.books;
    config.captures = shape.captures;
    config.preset = "standard-webhooks";
    config.secrets = {"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLJSw"};
    config.read.event_id = {{"/id"}};
    config.read.type = {{"/type"}};
    config.read.object = {{"/payment"}};
    RuleConfig refund = capture_rule({});
    refund.when = "refunded";
    refund.action = providers::Action::debit;
    refund.account = "needs";
    refund.amount_is = providers::AmountIs::delta;
    refund.effect_key = {{"refund"}, {"/id"}};
    refund.needs = {{{shape.kind}, {"/payment"}}};
    RuleConfig ignored;
    ignored.when = "*";
    config.rules = {capture_rule(shape), refund, ignored};
    return providers::Provider::create(config).value();
}

std::string body(const std::string& id, const std::string& type, const std::string& payment,
                 const std::string& amount, const std::string& more = "") {
    return R"({"id":")" + id + R"(","type":")" + type + R"(","payment":")" + payment +
           R"(","account":"user:)" + payment + R"(","currency":"USD","amount":)" + amount + more +
           "}";
}

class ChangedRules : public ::testing::Test {
  protected:
    Submission submission(const providers::Provider& provider, const std::string& text) {
        providers::Delivery delivery{"POST", "/webhooks/demo", {}, text, SystemClock().now()};
        delivery.headers = provider.sign({"m", text, delivery.received_at}).value();
        auto received = provider.receive(delivery);
        EXPECT_EQ(received.diagnosis, "ok");
        return {.provider = ProviderName("demo"),
                .books = provider.config().books,
                .delivery = delivery,
                .remote = "",
                .correlation_id = CorrelationId("c"),
                .events = std::move(received.events),
                .resumed = std::nullopt,
                .reader = provider};
    }
    // "outcome note", or "again outcome" for a duplicate.
    std::string receive(const providers::Provider& provider, const std::string& text) {
        const Submission one = submission(provider, text);
        const EventResult result = accept_and_commit(session, {&one}, SystemClock().now())[0][0];
        const std::string outcome(ledger::to_text(result.outcome));
        if (result.duplicate) return "again " + outcome;
        return result.note.empty() ? outcome : outcome + " " + result.note;
    }
    std::string balance(const std::string& payment) {
        return database.value("SELECT amount FROM balances WHERE account = 'user:" + payment + "'");
    }
    std::string keys() {
        return database.value("SELECT string_agg(effect_key, ' ' ORDER BY id) FROM transfers");
    }
    void expect_honest() { EXPECT_TRUE(holds(verify(session))); }

    testing::TestDatabase database;
    db::Session session = database.session();
};

TEST_F(ChangedRules, ShapesAreRecordedWithTheFirstPostingAndNotBefore) {
    const auto provider = demo({});
    receive(provider, body("e0", "other", "p", "1"));
    receive(provider, body("e1", "refunded", "p", "1"));
    EXPECT_TRUE(posted_shapes(session).empty()) << "nothing is posted yet";
    receive(provider, body("e2", "captured", "p", "10"));
    receive(provider, body("e3", "captured", "q", "10"));
    const std::vector<PostedShape> expected = {
        {"demo", {R"(["demo", "capture", "/payment"])", "credit delta minor"}},
        {"demo", {R"(["demo", "refund", "/id"])", "debit delta minor"}}};
    EXPECT_EQ(posted_shapes(session), expected) << "a released event counts as well";
}

TEST_F(ChangedRules, AShapeThatIsKnownToBeRecordedCostsNoStatement) {
    const auto provider = demo({});
    PostedShapes known;
    const auto commit = [&](const std::string& id) {
        const Submission one = submission(provider, body(id, "captured", id, "10"));
        ShapeRecord record{&known, {}};
        db::Transaction transaction(session);
        accept(transaction, {&one}, SystemClock().now(), LockScope::batch, {}, &record);
        transaction.commit();
        known.add(record.recorded);
        return record.recorded.size();
    };
    EXPECT_EQ(commit("a"), 1U);
    EXPECT_EQ(commit("b"), 0U);
    known.clear();
    EXPECT_EQ(commit("c"), 1U) << "after a failure of the database it is recorded again";
    EXPECT_EQ(database.value("SELECT count(*) FROM posted_shapes"), "1");
}

TEST_F(ChangedRules, APaymentPostedUnderAFormerKeyIsNotPostedAgain) {
    receive(demo({}), body("e1", "captured", "p", "10"));
    const Shape shapes[] = {{"demo2", "capture", "/payment", as_demo},
                            {"demo", "payin", "/payment", as_demo},
                            {"demo", "capture", "/id", as_demo}};
    int n = 0;
    for (const Shape& shape : shapes) {
        const auto provider = demo(shape);
        const std::string id = "n" + std::to_string(++n);
        EXPECT_EQ(receive(provider, body(id + "a", "captured", "p", "10")).substr(0, 16),
                  "duplicate_effect")
            << n;
        EXPECT_EQ(receive(provider, body(id + "b", "captured", "p", "11")),
                  "quarantined effect_conflict")
            << n;
        EXPECT_EQ(receive(provider, body(id + "c", "captured", id, "5")), "applied") << n;
    }
    EXPECT_EQ(balance("p"), "10");
    EXPECT_EQ(keys(), "demo/capture/p demo2/capture/n1 demo/payin/n2 demo/capture/n3c");
    expect_honest();
}

TEST_F(ChangedRules, ARunningTotalContinuesUnderItsFormerKey) {
    const CaptureShape total = CaptureShape::total;
    receive(demo({.captures = total}), body("e1", "captured", "p", "60"));
    const auto moved = demo({.books = "demo2", .formerly = as_demo, .captures = total});
    EXPECT_EQ(receive(moved, body("e2", "captured", "p", "100")), "applied");
    EXPECT_EQ(receive(moved, body("e3", "captured", "p", "100")).substr(0, 16), "duplicate_effect");
    EXPECT_EQ(balance("p"), "100");
    EXPECT_EQ(keys(), "demo/capture/p@60 demo/capture/p@100");
    expect_honest();
}

TEST_F(ChangedRules, FurtherCapturesContinueUnderTheFormerRoot) {
    const CaptureShape ids = CaptureShape::ids;
    receive(demo({.captures = ids}), body("e1", "captured", "p", "6", R"(,"capture":"c1")"));
    const std::vector<ReadParts> formerly = {{{"demo"}, {"capture"}, {"/payment"}, {"/capture"}}};
    const auto moved = demo({.books = "demo2", .formerly = formerly, .captures = ids});
    EXPECT_EQ(receive(moved, body("e2", "captured", "p", "4", R"(,"capture":"c2")")), "applied");
    EXPECT_EQ(receive(moved, body("e3", "refunded", "p", "10")), "applied");
    EXPECT_EQ(keys(), "demo/capture/p:c1 demo/capture/p:c2 demo2/refund/e3");
    EXPECT_EQ(database.value("SELECT count(DISTINCT payment_key) FROM transfers"), "1");
    EXPECT_EQ(balance("p"), "0");
    expect_honest();
}

TEST_F(ChangedRules, ARefundFindsTheCaptureUnderTheFormerKey) {
    receive(demo({}), body("e1", "captured", "p", "10"));
    for (const Shape& shape : {Shape{"demo2", "capture", "/payment", as_demo},
                               Shape{"demo", "payin", "/payment", as_demo}}) {
        EXPECT_EQ(receive(demo(shape), body("r" + shape.kind, "refunded", "p", "5")), "applied");
    }
    EXPECT_EQ(balance("p"), "0");
    EXPECT_EQ(database.value("SELECT count(*) FROM transfers WHERE payment_key = 'demo/capture/p'"),
              "3");
    expect_honest();
}

TEST_F(ChangedRules, ARefundParkedBeforeTheChangeIsReleasedByTheCaptureAfterIt) {
    EXPECT_EQ(receive(demo({}), body("r1", "refunded", "p", "4")),
              "parked waiting for demo/capture/p");
    const auto moved = demo({"demo2", "capture", "/payment", as_demo});
    EXPECT_EQ(receive(moved, body("r2", "refunded", "p", "5")),
              "parked waiting for demo2/capture/p");
    EXPECT_EQ(receive(moved, body("e1", "captured", "p", "10")), "applied");
    EXPECT_EQ(database.value("SELECT count(*) FROM webhook_intents WHERE outcome = 'applied'"),
              "3");
    EXPECT_EQ(balance("p"), "1");
    EXPECT_EQ(database.value("SELECT count(*) FROM effect_waits"), "0");
    expect_honest();
}

// The key decides, and not the rest of the rule: money that was read in another way conflicts.
TEST_F(ChangedRules, UnderAnUnchangedKeyOtherReadingsAreConflicts) {
    receive(demo({}), body("e1", "captured", "p", "10"));
    EXPECT_EQ(receive(demo({.unit = "major"}), body("e2", "captured", "p", "10")),
              "quarantined effect_conflict");
    EXPECT_EQ(balance("p"), "10");
    EXPECT_EQ(database.value("SELECT count(*) FROM posted_shapes"), "1");
}

TEST_F(ChangedRules, ARedeliveryIsComparedByTheRulesOfToday) {
    const std::string first = body("e1", "captured", "p", "10");
    const std::string resent = body("e1", "captured", "p", "10", R"(,"attempt":2)");
    const std::string other = body("e1", "captured", "p", "11", R"(,"attempt":3)");
    receive(demo({}), first);
    const auto corrected = demo({.unit = "major"});
    EXPECT_EQ(receive(corrected, resent), "again applied");
    EXPECT_EQ(receive(corrected, other), "quarantined id_conflict");
    EXPECT_EQ(receive(demo({}), other), "quarantined id_conflict") << "its fingerprint differs";
    EXPECT_EQ(balance("p"), "10");
    EXPECT_EQ(database.value("SELECT deliveries FROM webhook_intents WHERE event_id = 'e1'"), "2");
    expect_honest();
}

TEST_F(ChangedRules, WithoutTheFirstBytesItsMoneyIsCompared) {
    receive(demo({}), body("e1", "captured", "p", "10"));
    receive(demo({}), body("e2", "other", "p", "1"));
    database.run("DELETE FROM delivery_blocks");
    auto corrected = demo({"demo2", "capture", "/payment", as_demo});
    const std::string more = R"(,"attempt":2)";
    EXPECT_EQ(receive(corrected, body("e1", "captured", "p", "10", more)), "again applied");
    EXPECT_EQ(receive(corrected, body("e1", "captured", "p", "11", more)),
              "quarantined id_conflict");
    EXPECT_EQ(receive(corrected, body("e1", "captured", "q", "10", more)),
              "quarantined id_conflict");
    EXPECT_EQ(receive(corrected, body("e2", "captured", "p", "1", more)), "quarantined id_conflict")
        << "it moved nothing the first time";
    EXPECT_EQ(balance("p"), "10");
}

}  // namespace
}  // namespace pawl::intents
