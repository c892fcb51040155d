#include "intents/operator/operating.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <tuple>

#include "access/pauses.hpp"
#include "intents/accept/accept.hpp"
#include "intents/verify/verify.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"

namespace pawl::intents {
namespace {

// The demo provider with a rule for one type; the tests add rules as an operator would.
providers::ProviderConfig config(bool with_refunds) {
    providers::ProviderConfig config;
    config.name = "demo";
    config.preset = "standard-webhooks";
    config.secrets = {"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLJSw"};
    config.read.event_id = {{"/id"}};
    config.read.type = {{"/type"}};
    providers::RuleConfig capture;
    capture.when = "captured";
    capture.action = providers::Action::credit;
    capture.account = "/account";
    capture.amount = "/amount";
    capture.currency = "/currency";
    capture.effect_key = {{"capture"}, {"/id"}};
    config.rules = {capture};
    if (!with_refunds) return config;
    providers::RuleConfig refund = capture;
    refund.when = "refunded";
    refund.action = providers::Action::debit;
    refund.effect_key = {{"refund"}, {"/id"}};
    refund.needs = {{{"capture"}, {"/of"}}};
    config.rules.push_back(refund);
    return config;
}

class Operating : public ::testing::Test {
  protected:
    EventResult receive(const providers::Provider& provider, const std::string& id,
                        const std::string& body) {
        const SystemClock clock;
        providers::Delivery delivery{"POST", "/webhooks/demo", {}, body, clock.now()};
        delivery.headers = provider.sign({id, body, delivery.received_at}).value();
        auto received = provider.receive(delivery);
        EXPECT_EQ(received.diagnosis, "ok");
        Submission submission{
            ProviderName("demo"),       "demo",      delivery, "", CorrelationId("c"),
            std::move(received.events), std::nullopt};
        return accept_and_commit(session, {&submission}, clock.now())[0][0];
    }
    ActResult act(const providers::Provider& provider, Act act, const std::string& id,
                  const Assignment& assigned = {}) {
        db::Session own = database.session();
        return apply_operator_action(own, provider, {act, id, "ana", "because", assigned},
                                     SystemClock().now());
    }
    // The outcome and its note, or the code of the refusal.
    std::string told(const ActResult& result) {
        if (!result) return result.code;
        return std::string(ledger::to_text(result->outcome)) + " " + result->note;
    }
    testing::TestDatabase database;
    db::Session session = database.session();
    providers::Provider today = providers::Provider::create(config(false)).value();
    providers::Provider tomorrow = providers::Provider::create(config(true)).value();
    const std::string refund =
        R"({"id":"r1","type":"refunded","account":"u","amount":30,"currency":"USD","of":"c1"})";
    const std::string capture =
        R"({"id":"c1","type":"captured","account":"u","amount":100,"currency":"USD"})";
};

TEST_F(Operating, AQuarantinedEventIsRetriedByTheRulesOfToday) {
    receive(today, "c1", capture);
    EXPECT_EQ(receive(today, "r1", refund).note, "no_rule");
    const auto retried = act(tomorrow, Act::retry, "r1");
    ASSERT_TRUE(retried);
    EXPECT_EQ(retried->outcome, ledger::Outcome::applied);
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "70");
    EXPECT_EQ(database.value("SELECT principal || ' ' || action || ' ' || reason FROM audit_log"),
              "ana intent.retry because");
    EXPECT_EQ(database.value("SELECT details->>'signature_today' FROM audit_log"), "ok");
    EXPECT_TRUE(holds(verify(session)));
}

TEST_F(Operating, AnEventOfAPausedProviderIsActedOnAfterItsResumptionOrDismissed) {
    access::pause(session, "demo", "ana", "amounts look wrong");
    EXPECT_EQ(receive(today, "c1", capture).outcome, ledger::Outcome::pending);
    receive(today, "c2", R"({"id":"c2","type":"other"})");
    for (const Act one : {Act::retry, Act::release, Act::post, Act::assign}) {
        const ActResult refused = act(today, one, "c1");
        EXPECT_EQ(told(refused), "provider_paused");
        EXPECT_NE(refused.error().message.find("pawl providers resume demo"), std::string::npos);
    }
    EXPECT_EQ(told(act(tomorrow, Act::retry, "c2")), "provider_paused");
    EXPECT_EQ(database.value("SELECT count(*) FROM transfers"), "0");
    EXPECT_EQ(told(act(today, Act::dismiss, "c2")), "dismissed no_rule");
    access::resume(session, "demo", "ana", "they are right");
    EXPECT_EQ(act(today, Act::retry, "c1")->outcome, ledger::Outcome::applied);
    EXPECT_TRUE(holds(verify(session)));
}

TEST_F(Operating, TheBytesAreJudgedAsOfTheMomentTheyCame) {
    receive(today, "r1", refund);
    database.run("UPDATE webhook_intents SET received_at = received_at - interval '20 days'");
    database.run("UPDATE open_deliveries SET received_at = received_at - interval '20 days'");
    ASSERT_TRUE(act(tomorrow, Act::retry, "r1"));
}

TEST_F(Operating, StoredVerdictCountsWithoutTheSecretAndTheAuditRowStatesIt) {
    receive(today, "r1", refund);
    auto other = config(true);
    other.secrets = {"whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"};
    const auto retried = act(providers::Provider::create(other).value(), Act::retry, "r1");
    ASSERT_TRUE(retried);
    EXPECT_EQ(retried->outcome, ledger::Outcome::parked);
    EXPECT_EQ(database.value("SELECT details->>'signature_today' FROM audit_log"), "wrong_secret");
}

TEST_F(Operating, AParkedRefundCanBePostedWithoutItsCapture) {
    EXPECT_EQ(receive(tomorrow, "r1", refund).outcome, ledger::Outcome::parked);
    const auto posted = act(tomorrow, Act::post, "r1");
    ASSERT_TRUE(posted);
    EXPECT_EQ(posted->outcome, ledger::Outcome::applied);
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "-30");
    EXPECT_EQ(database.value("SELECT count(*) FROM effect_waits"), "0");
}

TEST_F(Operating, ForcedRefundIsPostedOnceAndNotReleasedByItsCapture) {
    receive(tomorrow, "r1", refund);
    const auto later = SystemClock().now() + std::chrono::hours(73);
    const auto act_later = [&](Act what) {
        return apply_operator_action(session, tomorrow, {what, "r1", "ana", "because"}, later);
    };
    EXPECT_EQ(act_later(Act::release)->note, "needs_timeout");
    EXPECT_EQ(act_later(Act::retry)->outcome, ledger::Outcome::parked) << "from then on";
    database.run("UPDATE effect_waits SET since = since - interval '73 hours'");
    EXPECT_EQ(act_later(Act::release)->note, "needs_timeout");
    EXPECT_EQ(act_later(Act::post)->outcome, ledger::Outcome::applied);
    EXPECT_EQ(database.value("SELECT count(*) FROM effect_waits"), "0");
    receive(tomorrow, "c1", capture);
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "70");
    EXPECT_TRUE(holds(verify(session)));
}

TEST_F(Operating, ReleasedGapUnblocksTheStream) {
    const auto held = [](std::int64_t number) {
        const std::string id = "h" + std::to_string(number);
        return testing::deliver({testing::event({.id = id,
                                                 .effect = id,
                                                 .sequence = number,
                                                 .order = providers::OrderingPolicy::hold})});
    };
    testing::commit(session, {held(5), held(6), held(3)});
    const auto released = act(today, Act::release, "h5");
    ASSERT_TRUE(released);
    EXPECT_EQ(released->outcome, ledger::Outcome::applied);
    EXPECT_EQ(database.value("SELECT last FROM sequences"), "6");
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "300");
    EXPECT_EQ(database.value("SELECT outcome FROM webhook_intents WHERE event_id = 'h3'"),
              "applied_late");
    EXPECT_EQ(database.value("SELECT count(*) FROM sequence_waits"), "0");
}

TEST_F(Operating, AFinishedOrUnknownEventIsLeftAlone) {
    receive(today, "c1", capture);
    EXPECT_FALSE(act(today, Act::retry, "c1"));
    EXPECT_FALSE(act(today, Act::post, "nothing"));
    EXPECT_EQ(database.value("SELECT count(*) FROM audit_log"), "0");
}

// The mark of a second content is a tilde and a hash; a sender's own tilde means nothing.
TEST_F(Operating, AnIdWithATildeIsRetriedLikeAnyOther) {
    const std::string body =
        R"({"id":"r~1","type":"refunded","account":"u","amount":30,"currency":"USD","of":"c1"})";
    EXPECT_EQ(receive(today, "r~1", body).note, "no_rule");
    EXPECT_TRUE(holds(verify(session)));
    const auto retried = act(tomorrow, Act::retry, "r~1");
    ASSERT_TRUE(retried) << retried.error().message;
    EXPECT_EQ(retried->outcome, ledger::Outcome::parked);
}

// A sender that may choose ids knows the key that a second content of another id will have.
TEST_F(Operating, AnIdInTheFormOfAConflictsKeyTakesNoConflictsPlace) {
    const auto captured = [](const std::string& id, int amount) {
        return R"({"id":")" + id + R"(","type":"captured","account":"u","amount":)" +
               std::to_string(amount) + R"(,"currency":"USD"})";
    };
    receive(today, "q", captured("q", 1));
    const auto first = receive(today, "q", captured("q", 2));
    ASSERT_EQ(first.note, "id_conflict");
    database.run("DELETE FROM webhook_intents; DELETE FROM transfers; DELETE FROM balances");
    const auto genuine = receive(today, "x", captured(first.event_id.str(), 9));
    EXPECT_EQ(genuine.outcome, ledger::Outcome::applied);
    receive(today, "q", captured("q", 1));
    const auto kept = receive(today, "q", captured("q", 2));
    EXPECT_EQ(kept.note, "id_conflict");
    EXPECT_FALSE(kept.duplicate);
    EXPECT_EQ(kept.event_id, first.event_id);
    EXPECT_TRUE(receive(today, "x", captured(first.event_id.str(), 9)).duplicate);
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "10");
}

// An event that hides its mode moves no money; the same with its mode does.
TEST_F(Operating, EventWithoutItsModeDiffersFromTheSameWithIt) {
    auto with_mode = config(false);
    with_mode.read.live = {{"/livemode", {"true"}}};
    const auto provider = providers::Provider::create(with_mode).value();
    EXPECT_EQ(receive(provider, "c1", capture).note, "shape_changed");
    std::string live = capture;
    live.insert(live.size() - 1, R"(,"livemode":true)");
    const auto kept = receive(provider, "c1", live);
    EXPECT_EQ(kept.note, "id_conflict");
    EXPECT_FALSE(kept.duplicate);
    const auto posted = act(provider, Act::post, kept.event_id.str());
    ASSERT_TRUE(posted) << posted.error().message;
    EXPECT_EQ(posted->outcome, ledger::Outcome::applied);
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "100");
}

TEST_F(Operating, ASecondContentUnderOneIdIsPostedOnlyByPost) {
    receive(today, "c1", capture);
    const std::string other =
        R"({"id":"c1","type":"captured","account":"u","amount":7,"currency":"USD"})";
    const auto kept = receive(today, "c1", other);
    EXPECT_EQ(kept.note, "id_conflict");
    EXPECT_TRUE(holds(verify(session)));
    EXPECT_EQ(act(today, Act::retry, kept.event_id.str())->note, "id_conflict");
    EXPECT_EQ(act(today, Act::post, kept.event_id.str())->note, "effect_conflict");
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "100");
}

// The operator has seen both, and says that the second is another movement.
TEST_F(Operating, AConflictIsPostedUnderANewKeyAndOnlyTheCheckThatFoundItIsSetAside) {
    receive(today, "c1", capture);
    const std::string other =
        R"({"id":"c1","type":"captured","account":"u","amount":7,"currency":"USD"})";
    const std::string kept = receive(today, "c1", other).event_id.str();
    EXPECT_EQ(told(act(today, Act::post, kept)), "quarantined effect_conflict");
    EXPECT_EQ(told(act(today, Act::retry, kept)), "quarantined id_conflict");
    EXPECT_EQ(told(act(today, Act::post, kept)), "quarantined effect_conflict");
    EXPECT_EQ(told(act(today, Act::post, kept)), "applied ");
    EXPECT_EQ(told(act(today, Act::post, kept)), "finished");
    EXPECT_EQ(database.value("SELECT effect_key || ' ' || payment_key FROM transfers "
                             "ORDER BY id DESC LIMIT 1"),
              "demo/capture/c1#2 demo/capture/c1");
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "107");
    EXPECT_TRUE(holds(verify(session, Depth::deep)));
}

class OperatingTotals : public Operating {
  protected:
    static providers::Provider of_totals() {
        auto totals = config(false);
        totals.captures = CaptureShape::total;
        totals.read.sequence = "/n";
        totals.rules[0].amount_is = providers::AmountIs::total;
        totals.rules[0].effect_key = {{"capture"}, {"/of"}};
        return providers::Provider::create(totals).value();
    }
    EventResult said(int number, int amount, const std::string& id = "",
                     const std::string& account = R"("account":"u",)") {
        const std::string n = std::to_string(number);
        const std::string event = id.empty() ? "t" + n : id;
        return receive(provider, event,
                       R"({"id":")" + event + R"(","type":"captured",)" + account +
                           R"("of":"p","n":)" + n + R"(,"currency":"USD","amount":)" +
                           std::to_string(amount) + "}");
    }
    std::string balance() { return database.value("SELECT amount FROM balances"); }
    const providers::Provider provider = of_totals();
};

TEST_F(OperatingTotals, PostedFallBecomesTheNewTotal) {
    said(1, 100);
    EXPECT_EQ(said(2, 80).note, "total_fell");
    EXPECT_EQ(told(act(provider, Act::post, "t2")), "applied ");
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "80");
    EXPECT_EQ(said(3, 100).outcome, ledger::Outcome::applied);
    EXPECT_EQ(database.value("SELECT string_agg(effect_key, ' ' ORDER BY id) FROM transfers"),
              "demo/capture/p@100 demo/capture/p@80#2 demo/capture/p@100#2");
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "100");
    EXPECT_TRUE(holds(verify(session, Depth::deep)));
}

TEST_F(OperatingTotals, AHigherTotalFromBeforeAFallThatWasPostedIsStale) {
    said(1, 1000);
    EXPECT_EQ(said(3, 400).note, "total_fell");
    EXPECT_EQ(told(act(provider, Act::post, "t3")), "applied ");
    EXPECT_EQ(said(1, 1000, "twin").outcome, ledger::Outcome::stale);
    EXPECT_EQ(said(2, 700).outcome, ledger::Outcome::stale);
    EXPECT_EQ(balance(), "400");
    EXPECT_EQ(said(7, 900).outcome, ledger::Outcome::applied);
    EXPECT_EQ(said(2, 1000, "later").outcome, ledger::Outcome::stale);
    EXPECT_EQ(said(5, 950).outcome, ledger::Outcome::applied_late) << "newer than the fall";
    EXPECT_EQ(balance(), "950");
    EXPECT_TRUE(holds(verify(session, Depth::deep)));
}

TEST_F(OperatingTotals, NewerOfTwoPostedFallsStays) {
    for (const auto& [first, second, last] :
         {std::tuple{"t2", "t3", "applied "}, std::tuple{"t3", "t2", "stale "}}) {
        said(1, 1000);
        EXPECT_EQ(said(2, 700).note, "total_fell");
        EXPECT_EQ(said(3, 400).note, "total_fell");
        EXPECT_EQ(told(act(provider, Act::post, first)), "applied ");
        EXPECT_EQ(told(act(provider, Act::post, second)), last);
        EXPECT_EQ(balance(), "400") << first << " before " << second;
        EXPECT_TRUE(holds(verify(session, Depth::deep)));
        database.run(
            "DELETE FROM webhook_intents; DELETE FROM transfers; DELETE FROM balances; "
            "DELETE FROM running_totals");
    }
}

TEST_F(Operating, PostRequiresTheAccountOfAnUnmetNeed) {
    auto of_need = config(true);
    of_need.rules[1].account = "needs";
    const auto provider = providers::Provider::create(of_need).value();
    EXPECT_EQ(receive(provider, "r1", refund).outcome, ledger::Outcome::parked);
    EXPECT_EQ(told(act(provider, Act::post, "r1")), "account_unknown");
    receive(provider, "c1", capture);
    EXPECT_EQ(database.value("SELECT amount FROM balances WHERE account = 'u'"), "70");
}

// No rule has read the amount, so both are one event. Its bytes are those of the first delivery.
TEST_F(Operating, ARetryNeverReadsTheBytesOfAnotherContent) {
    receive(today, "r1", refund);
    const std::string other =
        R"({"id":"r1","type":"refunded","account":"u","amount":99,"currency":"USD","of":"c1"})";
    EXPECT_TRUE(receive(today, "r1", other).duplicate);
    EXPECT_EQ(database.value("SELECT count(*) FROM webhook_deliveries"), "2");
    const auto retried = act(tomorrow, Act::retry, "r1");
    ASSERT_TRUE(retried) << retried.error().message;
    EXPECT_EQ(database.value("SELECT amount FROM webhook_intents WHERE event_id = 'r1'"), "30");
}

TEST_F(Operating, WithoutItsBytesARetryIsRefused) {
    receive(today, "r1", refund);
    database.run("DELETE FROM open_deliveries");
    EXPECT_FALSE(act(tomorrow, Act::retry, "r1"));
    EXPECT_EQ(database.value("SELECT outcome FROM webhook_intents WHERE event_id = 'r1'"),
              "quarantined");
}

TEST_F(Operating, ADismissedEventMovesNothingAndIsFinished) {
    receive(today, "c1", capture);
    EXPECT_EQ(receive(today, "r1", refund).note, "no_rule");
    EXPECT_EQ(told(act(today, Act::dismiss, "r1")), "dismissed no_rule");
    EXPECT_EQ(told(act(tomorrow, Act::retry, "r1")), "finished");
    EXPECT_EQ(told(act(tomorrow, Act::dismiss, "r1")), "finished");
    EXPECT_TRUE(receive(tomorrow, "r1", refund).duplicate);
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "100");
    EXPECT_EQ(
        database.value("SELECT status || ' ' || outcome FROM webhook_intents WHERE event_id = "
                       "'r1'"),
        "done dismissed");
    EXPECT_EQ(database.value("SELECT action || ' ' || (details->>'stopped_by') FROM audit_log"),
              "intent.dismiss no_rule");
    EXPECT_TRUE(holds(verify(session, Depth::deep)));
}

TEST_F(Operating, DismissedRefundIsNotReleasedByItsCapture) {
    EXPECT_EQ(receive(tomorrow, "r1", refund).outcome, ledger::Outcome::parked);
    EXPECT_EQ(told(act(tomorrow, Act::dismiss, "r1")), "dismissed waiting for demo/capture/c1");
    EXPECT_EQ(database.value("SELECT count(*) FROM effect_waits"), "0");
    receive(tomorrow, "c1", capture);
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "100");
    EXPECT_TRUE(holds(verify(session)));
}

TEST_F(Operating, UnreadableEventCanBeDismissed) {
    receive(today, "r1", refund);
    database.run("DELETE FROM open_deliveries");
    EXPECT_EQ(told(act(today, Act::dismiss, "r1")), "dismissed no_rule");
}

// A quarantined event keeps its place in a sequence until it is dealt with.
TEST_F(Operating, DismissedNumberUnblocksTheOnesBehindIt) {
    auto dense = config(false);
    dense.read.sequence = "/n";
    dense.rules[0].order = providers::OrderingPolicy::hold;
    dense.rules[0].effect_key = {{"capture"}, {"/k"}};
    const auto of_key = providers::Provider::create(dense).value();
    const auto numbered = [](int n, const char* key, int amount) {
        const std::string id = std::to_string(n);
        return R"({"id":"h)" + id + R"(","type":"captured","account":"u","currency":"USD","n":)" +
               id + R"(,"k":")" + key + R"(","amount":)" + std::to_string(amount) + "}";
    };
    EXPECT_EQ(receive(of_key, "h1", numbered(1, "a", 10)).outcome, ledger::Outcome::applied);
    EXPECT_EQ(receive(of_key, "h2", numbered(2, "a", 20)).note, "effect_conflict");
    EXPECT_EQ(receive(of_key, "h3", numbered(3, "b", 30)).outcome, ledger::Outcome::parked);
    EXPECT_EQ(told(act(of_key, Act::dismiss, "h2")), "dismissed effect_conflict");
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "40");
    EXPECT_EQ(database.value("SELECT last FROM sequences"), "3");
    EXPECT_EQ(database.value("SELECT count(*) FROM sequence_waits"), "0");
}

// Its number and account can be read where its amount cannot.
TEST_F(Operating, EventWithoutAReadableAmountKeepsItsPlaceUntilItIsDismissedOrAssigned) {
    auto dense = config(false);
    dense.read.sequence = "/n";
    dense.rules[0].order = providers::OrderingPolicy::hold;
    const auto in_order = providers::Provider::create(dense).value();
    const auto numbered = [](int n, const char* amount) {
        const std::string id = "h" + std::to_string(n);
        return R"({"id":")" + id + R"(","type":"captured","account":"u","currency":"USD","n":)" +
               std::to_string(n) + R"(,"amount":)" + amount + "}";
    };
    EXPECT_EQ(receive(in_order, "h1", numbered(1, "10")).outcome, ledger::Outcome::applied);
    EXPECT_EQ(receive(in_order, "h2", numbered(2, "-1")).note, "bad_amount");
    EXPECT_EQ(receive(in_order, "h3", numbered(3, "30")).outcome, ledger::Outcome::parked);
    EXPECT_EQ(told(act(in_order, Act::dismiss, "h2")), "dismissed bad_amount");
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "40");
    EXPECT_EQ(receive(in_order, "h4", numbered(4, "-1")).note, "bad_amount");
    EXPECT_EQ(receive(in_order, "h5", numbered(5, "50")).outcome, ledger::Outcome::parked);
    const Assignment given{
        {}, AccountId("u"), 5, Currency::parse("USD").value(), EffectKey("demo/capture/h4")};
    EXPECT_EQ(told(act(in_order, Act::assign, "h4", given)), "applied ");
    const std::string unknown = R"({"id":"h6","type":"unheard","account":"u","n":6})";
    EXPECT_EQ(receive(in_order, "h6", unknown).note, "no_rule");
    EXPECT_EQ(receive(in_order, "h7", numbered(7, "70")).outcome, ledger::Outcome::parked);
    EXPECT_EQ(told(act(in_order, Act::dismiss, "h6")), "dismissed no_rule");
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "165");
    EXPECT_EQ(database.value("SELECT last FROM sequences"), "7");
    EXPECT_TRUE(holds(verify(session, Depth::deep)));
}

TEST_F(Operating, UnreadableEventCanBeAssignedAndBothVersionsAreKept) {
    const auto broken = R"({"id":"c2","type":"captured","amount":5,"currency":"USD"})";
    EXPECT_EQ(receive(today, "c2", broken).note, "bad_account");
    Assignment given{{}, AccountId("u"), 5, Currency::parse("USD").value(), EffectKey("other/c2")};
    EXPECT_EQ(told(act(today, Act::assign, "c2", given)), "bad_assignment") << "other books";
    given.effect_key = EffectKey("demo/capture/c2");
    EXPECT_EQ(told(act(today, Act::assign, "c2", given)), "applied ");
    EXPECT_EQ(told(act(today, Act::assign, "c2", given)), "finished");
    EXPECT_EQ(database.value("SELECT account || ' ' || amount FROM balances"), "u 5");
    EXPECT_EQ(database.value("SELECT (details#>>'{read,account}') || '|' || "
                             "(details#>>'{assigned,account}') || ' ' || "
                             "(details#>>'{assigned,effect_key}') FROM audit_log"),
              "|u demo/capture/c2");
    EXPECT_TRUE(holds(verify(session, Depth::deep)));
}

TEST_F(Operating, AnAssignedKeyIsThatOfTheRuleWhereItReadsOne) {
    const auto broken = R"({"id":"c2","type":"captured","amount":5,"currency":"USD"})";
    EXPECT_EQ(receive(today, "c2", broken).note, "bad_account");
    Assignment given{{}, AccountId("u"), {}, {}, {}};
    for (const char* other : {"demo/refund/c2", "demo/capture/c3", "demo/capture/c2#2"}) {
        given.effect_key = EffectKey(other);
        EXPECT_EQ(told(act(today, Act::assign, "c2", given)), "bad_assignment") << other;
    }
    given.effect_key.reset();
    EXPECT_EQ(told(act(today, Act::assign, "c2", given)), "applied ") << "the rest was read";
    EXPECT_EQ(database.value("SELECT effect_key || ' ' || amount FROM transfers"),
              "demo/capture/c2 5");
    EXPECT_TRUE(holds(verify(session, Depth::deep)));
}

TEST_F(Operating, AnAssignedKeyThatNoRuleReadsHasTheShapeOfTheCaptures) {
    receive(today, "r1", refund);
    const Currency usd = Currency::parse("USD").value();
    Assignment given{providers::Action::credit, AccountId("u"), 30, usd, {}};
    for (const char* other : {"demo/capture/c1:1", "demo/capture/c1@30", "demo/capture/c1#2"}) {
        given.effect_key = EffectKey(other);
        EXPECT_EQ(told(act(today, Act::assign, "r1", given)), "bad_assignment") << other;
    }
    auto with_ids = config(false);
    with_ids.captures = CaptureShape::ids;
    with_ids.rules[0].effect_key = {{"capture"}, {"/of"}, {"/id"}};
    const auto of_ids = providers::Provider::create(with_ids).value();
    for (const char* other : {"demo/capture/c1", "demo/capture/c1@30", "demo/capture/c1:1#2"}) {
        given.effect_key = EffectKey(other);
        EXPECT_EQ(told(act(of_ids, Act::assign, "r1", given)), "bad_assignment") << other;
    }
    given.effect_key = EffectKey("demo/capture/c1:1");
    EXPECT_EQ(told(act(of_ids, Act::assign, "r1", given)), "applied ");
}

TEST_F(OperatingTotals, AnAssignedAccountIsThatOfTheRunningTotal) {
    EXPECT_EQ(said(1, 500, "", "").note, "bad_account");
    EXPECT_EQ(told(act(provider, Act::assign, "t1", {{}, AccountId("u"), {}, {}, {}})), "applied ");
    EXPECT_EQ(said(2, 800).outcome, ledger::Outcome::applied);
    EXPECT_EQ(said(1, 500, "twin").outcome, ledger::Outcome::stale);
    EXPECT_EQ(balance(), "800");
    EXPECT_TRUE(holds(verify(session, Depth::deep)));
}

TEST_F(OperatingTotals, AnAssignedKeyIsThatOfATotalAndIsJudgedByIt) {
    const Currency usd = Currency::parse("USD").value();
    const auto keyless =
        R"({"id":"k1","type":"captured","account":"u","n":1,"currency":"USD","amount":500})";
    EXPECT_EQ(receive(provider, "k1", keyless).note, "effect_key_missing");
    Assignment given;
    for (const char* other : {"demo/capture/p", "demo/capture/p:1", "demo/capture/p@499",
                              "demo/capture/p#2", "demo/capture/p@500#2"}) {
        given.effect_key = EffectKey(other);
        EXPECT_EQ(told(act(provider, Act::assign, "k1", given)), "bad_assignment") << other;
    }
    given.effect_key = EffectKey("demo/capture/p@500");
    EXPECT_EQ(told(act(provider, Act::assign, "k1", given)), "applied ");
    EXPECT_EQ(said(2, 800).outcome, ledger::Outcome::applied);
    EXPECT_EQ(balance(), "800");
    // No rule reads this one, and no number.
    EXPECT_EQ(receive(provider, "x", R"({"id":"x","type":"settled"})").note, "no_rule");
    given = {providers::Action::credit, AccountId("u"), 900, usd, EffectKey("demo/capture/p")};
    EXPECT_EQ(told(act(provider, Act::assign, "x", given)), "bad_assignment");
    given.effect_key = EffectKey("demo/capture/p@900");
    EXPECT_EQ(told(act(provider, Act::assign, "x", given)), "applied ");
    EXPECT_EQ(balance(), "900");
    EXPECT_TRUE(holds(verify(session, Depth::deep)));
}

TEST_F(Operating, AnAssignedKeyThatIsPostedIsNotPostedAgain) {
    receive(today, "c1", capture);
    EXPECT_EQ(receive(today, "r1", refund).note, "no_rule");
    const Currency usd = Currency::parse("USD").value();
    const Assignment same{providers::Action::credit, AccountId("u"), 100, usd,
                          EffectKey("demo/capture/c1")};
    Assignment other = same;
    other.amount = 7;
    EXPECT_EQ(told(act(today, Act::assign, "r1", other)), "quarantined effect_conflict");
    EXPECT_EQ(told(act(today, Act::assign, "r1", same)), "duplicate_effect posted by c1");
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "100");
}

TEST_F(Operating, AnAssignmentThatIsNotEnoughIsRefused) {
    receive(today, "r1", refund);
    const Currency usd = Currency::parse("USD").value();
    const Assignment whole{providers::Action::debit, AccountId("u"), 30, usd,
                           EffectKey("demo/refund/r1")};
    const std::pair<const char*, void (*)(Assignment&)> missing[] = {
        {"no effect", [](Assignment& one) { one.effect.reset(); }},
        {"no account", [](Assignment& one) { one.account.reset(); }},
        {"no amount", [](Assignment& one) { one.amount.reset(); }},
        {"no currency", [](Assignment& one) { one.currency.reset(); }},
        {"no key", [](Assignment& one) { one.effect_key.reset(); }},
        {"clearing", [](Assignment& one) { one.account = AccountId("demo:clearing"); }},
        {"only books", [](Assignment& one) { one.effect_key = EffectKey("demo/"); }}};
    for (const auto& [name, less] : missing) {
        Assignment given = whole;
        less(given);
        EXPECT_EQ(told(act(today, Act::assign, "r1", given)), "bad_assignment") << name;
    }
    EXPECT_EQ(told(act(today, Act::assign, "r1", whole)), "applied ");
}

TEST_F(Operating, PostSetsAsideNothingThatItDoesNotName) {
    receive(today, "r1", refund);
    EXPECT_EQ(told(act(today, Act::post, "r1")), "not_possible") << "no rule reads it";
    EXPECT_EQ(told(act(today, Act::post, "none")), "unknown_intent");
    EXPECT_EQ(database.value("SELECT count(*) FROM audit_log"), "0");
    // A second content under one id, whose need has not come: the need is not what stopped it.
    auto other = refund;
    other.replace(other.find("30"), 2, "31");
    receive(tomorrow, "r2",
            R"({"id":"r2","type":"refunded","account":"u","amount":1,)"
            R"("currency":"USD","of":"c1"})");
    const auto kept = receive(tomorrow, "r2",
                              R"({"id":"r2","type":"refunded","account":"u",)"
                              R"("amount":2,"currency":"USD","of":"c1"})");
    EXPECT_EQ(kept.note, "id_conflict");
    EXPECT_EQ(told(act(tomorrow, Act::post, kept.event_id.str())),
              "parked waiting for demo/capture/c1");
}

TEST_F(Operating, ConcurrentActionsOnOneEventMoveItsMoneyOnce) {
    receive(today, "c1", capture);
    const Currency usd = Currency::parse("USD").value();
    for (int round = 0; round < 10; ++round) {
        const std::string id = "x" + std::to_string(round);
        EXPECT_EQ(receive(today, id,
                          R"({"id":")" + id +
                              R"(","type":"refunded","account":"u","amount":30,"currency":"USD",)"
                              R"("of":"c1"})")
                      .note,
                  "no_rule");
        const Assignment first{providers::Action::debit, AccountId("u"), 1, usd,
                               EffectKey("demo/refund/" + id)};
        const Assignment second{providers::Action::debit, AccountId("u"), 2, usd,
                                EffectKey("demo/refund/" + id)};
        std::string answers[3];
        {
            std::jthread a([&] { answers[0] = told(act(tomorrow, Act::assign, id, first)); });
            std::jthread b([&] { answers[1] = told(act(tomorrow, Act::assign, id, second)); });
            std::jthread c([&] { answers[2] = told(act(tomorrow, Act::dismiss, id)); });
        }
        std::sort(std::begin(answers), std::end(answers));
        EXPECT_EQ(answers[1] + " " + answers[2], "finished finished");
        EXPECT_EQ(database.value("SELECT count(*) FROM transfers WHERE event_id = '" + id + "'"),
                  answers[0] == "applied " ? "1" : "0");
    }
    EXPECT_EQ(database.value("SELECT count(*) FROM audit_log"), "10");
    EXPECT_TRUE(holds(verify(session)));
}

}  // namespace
}  // namespace pawl::intents
