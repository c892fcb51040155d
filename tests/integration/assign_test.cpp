// Values that an operator assigns to an event that could not be read, and falls of totals that an
// operator posts: they are judged like values that were read.
#include "tests/integration/operating_case.hpp"

namespace pawl::intents {
namespace {

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

}  // namespace
}  // namespace pawl::intents
