#include "providers/read.hpp"

#include "base/crypto.hpp"
#include "base/keys.hpp"
#include "providers/tests/sample.hpp"

namespace pawl::providers {
namespace {

using sample::captured;
using sample::read;
using sample::with;

TEST(Read, ACapturedPaymentBecomesACredit) {
    const Event event = read(sample::demo(), captured);
    EXPECT_EQ(event.quarantine, "");
    EXPECT_EQ(event.event_id.str(), "evt_1");
    EXPECT_EQ(event.type, "payment.captured");
    EXPECT_EQ(event.object, "pay_1");
    EXPECT_EQ(event.account, "user:42");
    EXPECT_EQ(event.sequence, Sequence{7});
    EXPECT_EQ(event.action, Action::credit);
    EXPECT_EQ(event.order, OrderingPolicy::late_ok);
    EXPECT_EQ(event.sequence_rule.scope, "account:user:42");
    EXPECT_EQ(event.jobs, std::vector<std::string>{"notify"});
    EXPECT_EQ(event.body_sha256, crypto::sha256_hex(captured));
    ASSERT_FALSE(event.movements.empty());
    EXPECT_EQ(event.movements.at(0).account.str(), "user:42");
    EXPECT_EQ(event.movements.at(0).amount, (Money{1050, Currency::parse("USD").value()}));
    EXPECT_EQ(event.movements.at(0).effect_key.str(), "demo/capture/pay_1");
    EXPECT_FALSE(event.movements.at(0).is_total);
}

TEST(Read, AStripePaymentIntentBecomesACreditUnderTheKeyThatChargeOrderUses) {
    const Event event =
        read(sample::stripe(),
             R"({"id":"evt_3","type":"payment_intent.succeeded","data":{"object":{"id":"pi_1",
            "amount_received":5000,"currency":"usd","metadata":{"account":"user:42"}}}})");
    EXPECT_EQ(event.quarantine, "");
    ASSERT_FALSE(event.movements.empty());
    EXPECT_EQ(event.movements.at(0).effect_key, make_effect_key("stripe", "capture", {"pi_1"}));
    EXPECT_EQ(event.movements.at(0).amount.minor, 5000);
}

TEST(Read, StripeCountsTwoDecimalsInCurrenciesThatHaveNone) {
    const std::string_view body =
        R"({"id":"e","type":"payment_intent.succeeded","data":{"object":{"id":"pi_1",
            "amount_received":50000,"currency":"isk","metadata":{"account":"a"}}}})";
    EXPECT_EQ(read(sample::stripe(), body).movements.at(0).amount.minor, 500);
    EXPECT_EQ(read(sample::stripe(), with(body, "50000", "50050")).quarantine, "bad_amount");
    EXPECT_EQ(read(sample::stripe(), with(body, "isk", "jpy")).movements.at(0).amount.minor, 50000);
}

struct Quarantine {
    const char* from;
    const char* to;
    const char* reason;
};

TEST(Read, UnusableEventIsKeptWithAReasonAndMovesNothing) {
    const Quarantine cases[] = {
        {"\"evt_1\"", "null", "event_id_missing"},
        {"\"evt_1\"", "\"\"", "event_id_missing"},
        {"\"evt_1\"", "{}", "event_id_missing"},
        {"\"evt_1\"", "\"a\\u0000b\"", "event_id_missing"},
        {"\"type\"", "\"kind\"", "type_missing"},
        {"1050", "-1", "bad_amount"},
        {"1050", "10.50", "bad_amount"},
        {"1050", "\"ten\"", "bad_amount"},
        {"1050", "null", "bad_amount"},
        {"1050", "9223372036854775808", "bad_amount"},
        {"1050", "[1050]", "bad_amount"},
        {"usd", "xxx", "bad_currency"},
        {"usd", "", "bad_currency"},
        {"user:42", "", "bad_account"},
        {"user:42", "a\\nb", "bad_account"},
        {"user:42", "demo:clearing", "clearing_account"},
        {"user:42", "other:clearing", "clearing_account"},
        {"user:42", "fees:demo", "system_account"},
        {"user:42", "bank:main", "system_account"},
        {"\"pay_1\"", "null", "effect_key_missing"},
        {"7}", "7.5}", "bad_sequence"},
        {"7}", "\"x\"}", "bad_sequence"},
        {"7}", "9223372036854775808}", "bad_sequence"},
        {"7}", "7", "unreadable"},
        {"7}", "7} ,", "unreadable"},
        {"\"sequence\"", "\"amount\"", "unreadable"},  // a key that comes twice
        {"user",
         "us\xff"
         "er",
         "unreadable"},
    };
    for (const auto& [from, to, reason] : cases) {
        const std::string body = with(captured, from, to);
        const Event event = read(sample::demo(), body);
        EXPECT_EQ(event.quarantine, reason) << body;
        EXPECT_TRUE(event.movements.empty()) << body;
        EXPECT_FALSE(event.fingerprint.empty()) << body;
        const bool nameless =
            event.quarantine == "unreadable" || event.quarantine == "event_id_missing";
        EXPECT_EQ(event.event_id.str(), nameless ? "sha256:" + crypto::sha256_hex(body) : "evt_1")
            << body;
    }
    EXPECT_EQ(read(sample::demo(), "").quarantine, "unreadable");
    EXPECT_EQ(read(sample::demo(), "5").quarantine, "event_id_missing");
}

TEST(Read, TextTooLongForAnIndexIsQuarantinedAndNotCut) {
    const std::string long_text(600, 'x');
    EXPECT_EQ(read(sample::demo(), with(captured, "evt_1", long_text)).quarantine,
              "event_id_missing");
    EXPECT_EQ(read(sample::demo(), with(captured, "pay_1", long_text)).quarantine,
              "effect_key_missing");
    EXPECT_EQ(read(sample::demo(), with(captured, "user:42", long_text)).quarantine, "bad_account");
}

TEST(Read, AmountsComeFromTheirText) {
    ProviderConfig config = sample::demo();
    config.rules[0].unit = AmountUnit::major;
    const auto minor = [&](std::string_view amount, std::string_view currency) {
        const Event event = read(config, with(with(captured, "1050", amount), "usd", currency));
        return !event.movements.empty() ? std::to_string(event.movements.at(0).amount.minor)
                                        : event.quarantine;
    };
    EXPECT_EQ(minor("1.10", "USD"), "110");
    EXPECT_EQ(minor("\"1.10\"", "USD"), "110");
    EXPECT_EQ(minor("0.29", "USD"), "29");
    EXPECT_EQ(minor("100", "JPY"), "100");
    EXPECT_EQ(minor("1.234", "KWD"), "1234");
    EXPECT_EQ(minor("1.105", "USD"), "bad_amount");
    EXPECT_EQ(minor("92233720368547758.07", "USD"), "9223372036854775807");
}

TEST(Read, NumbersBeyond2ToThe53KeepTheirDigits) {
    const Event event =
        read(sample::demo(),
             with(with(with(captured, "7}", "9007199254740993}"), "1050", "9007199254740993"),
                  "\"pay_1\"", "18446744073709551617"));
    EXPECT_EQ(event.sequence, Sequence{9007199254740993});
    EXPECT_EQ(event.movements.at(0).amount.minor, 9007199254740993);
    EXPECT_EQ(event.movements.at(0).effect_key.str(), "demo/capture/18446744073709551617");
}

TEST(Read, TheFirstRuleThatMatchesDecides) {
    ProviderConfig config = sample::demo();
    config.rules = {sample::ignore_rule(), sample::credit_rule()};
    config.rules[0].when = "payment.cap*";
    EXPECT_EQ(read(config, captured).action, Action::ignore);
    config.rules[0].when = "payment.captured.*";
    EXPECT_EQ(read(config, captured).action, Action::credit);
    config.rules[0].when = "Payment.*";
    EXPECT_EQ(read(config, captured).action, Action::credit);
    config.rules.resize(1);
    EXPECT_EQ(read(config, captured).quarantine, "no_rule");
}

TEST(Read, AnIgnoredEventNeedsOnlyItsIdAndType) {
    const Event event = read(sample::demo(), R"({"id":"evt_9","type":"ping","sequence":"?"})");
    EXPECT_EQ(event.quarantine, "");
    EXPECT_EQ(event.action, Action::ignore);
}

TEST(Read, JoinedListsAreUnambiguous) {
    ProviderConfig config = sample::demo();
    config.read.event_id = {{"/a"}, {"/b"}, {"/c", true}};
    const auto id = [&](std::string_view body) { return read(config, body).event_id.str(); };
    EXPECT_EQ(id(R"({"type":"x","a":"1","b":"2"})"), "1:2:");
    EXPECT_EQ(id(R"({"type":"x","a":"1:2","b":"3","c":4})"), "1%3A2:3:4");
    EXPECT_EQ(id(R"({"type":"x","a":"1","b":"2:3","c":4})"), "1:2%3A3:4");
    EXPECT_EQ(read(config, R"({"type":"x","a":"1"})").quarantine, "event_id_missing");
}

TEST(Read, NeedsNameTheEffectsThatMustComeFirst) {
    ProviderConfig config = sample::demo();
    config.books = "shared";
    config.rules[0].action = Action::debit;
    config.rules[0].effect_key = {{"refund"}, {"/id"}};
    config.rules[0].needs = {{{"capture"}, {"/payment_id"}}};
    const Event event = read(config, captured);
    ASSERT_FALSE(event.movements.empty());
    EXPECT_EQ(event.movements.at(0).effect_key.str(), "shared/refund/evt_1");
    ASSERT_EQ(event.needs.size(), 1U);
    EXPECT_EQ(event.needs[0].str(), "shared/capture/pay_1");
}

// The accepting transaction alone makes keys of the form <id>~<hash>.
TEST(Read, AnIdNeverHasTheFormOfAConflictsKey) {
    const std::string sixteen = "0123456789abcdef";
    const auto id_of = [](const std::string& id) {
        return read(sample::demo(), with(captured, "evt_1", id)).event_id.str();
    };
    for (const std::string& id :
         {"q~" + sixteen, "q~" + sixteen + sixteen + sixteen + sixteen, "~" + sixteen + "0"}) {
        EXPECT_EQ(id_of(id), id + "~73656e7400000000");
        EXPECT_EQ(id_of(id_of(id)), id + "~73656e7400000000~73656e7400000000");
    }
    for (const std::string& id : {"q~" + sixteen.substr(1), "q~" + sixteen + "x", "q" + sixteen,
                                  std::string("q~0123456789ABCDEF"), "q~" + sixteen + "~"}) {
        EXPECT_EQ(id_of(id), id);
    }
}

TEST(Read, FingerprintCoversTheFieldsReadAndNotTheBytes) {
    const std::string same = read(sample::demo(), captured).fingerprint;
    const std::string other_bytes = with(captured, "{\"id\"", "{ \"attempt\":3, \"id\"");
    EXPECT_EQ(read(sample::demo(), other_bytes).fingerprint, same);
    for (const auto& [from, to] :
         {std::pair("1050", "1051"), std::pair("usd", "eur"), std::pair("user:42", "user:43"),
          std::pair("pay_1", "pay_2"), std::pair("7}", "8}")}) {
        EXPECT_NE(read(sample::demo(), with(captured, from, to)).fingerprint, same) << from;
    }
    // A letter that moves from one field to the next makes another event.
    const Event ab_c = read(sample::demo(), R"({"id":"e","type":"ab","payment_id":"c"})");
    const Event a_bc = read(sample::demo(), R"({"id":"e","type":"a","payment_id":"bc"})");
    EXPECT_EQ(ab_c.object, "c");
    EXPECT_NE(ab_c.fingerprint, a_bc.fingerprint);
}

TEST(Read, TheSameSignedBodyUnderAFreshUnsignedIdHasTheSameEffect) {
    ProviderConfig config = sample::demo();
    config.preset = "razorpay";
    config.read.event_id = {{"header:X-Razorpay-Event-Id"}};
    const Provider provider = sample::compiled(config);
    Delivery delivery = sample::signed_delivery(provider, captured);
    const Event first = provider.receive(delivery).events.at(0);
    for (auto& [name, value] : delivery.headers) {
        if (name == "X-Razorpay-Event-Id") value = "fresh";
    }
    const Event second = provider.receive(delivery).events.at(0);
    EXPECT_EQ(first.event_id.str(), "msg_1");
    EXPECT_EQ(second.event_id.str(), "fresh");
    EXPECT_EQ(first.movements.at(0).effect_key, second.movements.at(0).effect_key);
    delivery.headers.emplace_back("x-razorpay-event-id", "twice");
    EXPECT_EQ(provider.receive(delivery).events.at(0).quarantine, "event_id_missing");
}

ProviderConfig batch() {
    ProviderConfig config = sample::demo();
    config.read.items = "/events";
    config.read.items_max = 3;
    return config;
}

TEST(Read, ItemsOfABatchAreReadIndependently) {
    const std::string body = "{\"events\": [ " + std::string(captured) + " ,\n 5, " +
                             with(captured, "evt_1", "evt_2") + "]}";
    const Received received = sample::receive(batch(), body);
    EXPECT_TRUE(received.batch);
    ASSERT_EQ(received.events.size(), 3U);
    EXPECT_EQ(received.events[0].event_id.str(), "evt_1");
    EXPECT_EQ(received.events[0].body_sha256, crypto::sha256_hex(captured));
    EXPECT_EQ(received.events[1].event_id.str(), "sha256:" + crypto::sha256_hex("5"));
    EXPECT_EQ(received.events[1].quarantine, "event_id_missing");
    EXPECT_EQ(body.substr(received.events[1].body_offset, received.events[1].body_size), "5");
    EXPECT_EQ(received.events[2].event_id.str(), "evt_2");
    EXPECT_EQ(received.events[2].quarantine, "");
}

TEST(Read, BatchesMayBeEmptyButNotEndlessNorWithoutTheirArray) {
    EXPECT_TRUE(sample::receive(batch(), R"({"events":[]})").events.empty());
    EXPECT_EQ(sample::receive(batch(), R"({"events":[]})").verdict, Verdict::verified);
    const Received many = sample::receive(batch(), R"({"events":[1,2,3,4]})");
    EXPECT_EQ(many.verdict, Verdict::too_many_items);
    EXPECT_TRUE(many.events.empty());
    EXPECT_EQ(read(batch(), captured).quarantine, "unreadable");
    EXPECT_EQ(read(batch(), R"({"events":{}})").quarantine, "unreadable");
    EXPECT_EQ(read(batch(), "[").quarantine, "unreadable");
}

TEST(Read, AuthenticEventOfAnotherReceiverIsRefused) {
    ProviderConfig config = sample::demo();
    config.read.expect = {{"/account", {"user:1", "user:42"}}};
    EXPECT_EQ(sample::receive(config, captured).verdict, Verdict::verified);
    const Received other = sample::receive(config, with(captured, "user:42", "user:43"));
    EXPECT_EQ(other.verdict, Verdict::refused);
    EXPECT_EQ(other.diagnosis, "not_for_us");
    EXPECT_TRUE(other.events.empty());
    EXPECT_EQ(sample::receive(config, "not json").diagnosis, "not_for_us");

    config.read.items = "/events";
    const Received mixed =
        sample::receive(config, "{\"events\":[{\"account\":\"x\"}," + std::string(captured) + "]}");
    EXPECT_EQ(mixed.verdict, Verdict::verified);
    ASSERT_EQ(mixed.events.size(), 2U);
    EXPECT_EQ(mixed.events[0].refusal, "not_for_us");
    EXPECT_EQ(mixed.events[1].refusal, "");
}

TEST(Read, HoldAndStrictEventsWithoutTheirNumberAreQuarantined) {
    ProviderConfig config = sample::demo();
    const std::string numberless = with(captured, "\"sequence\"", "\"other\"");
    EXPECT_EQ(read(config, numberless).quarantine, "");
    config.rules[0].order = OrderingPolicy::hold;
    config.rules[0].order_scope = OrderScope::object;
    config.rules[0].sequence_start = std::nullopt;
    EXPECT_EQ(read(config, numberless).quarantine, "sequence_missing");
    const Event event = read(config, captured);
    EXPECT_EQ(event.quarantine, "");
    EXPECT_EQ(event.sequence_rule.scope, "object:pay_1");
    EXPECT_FALSE(event.sequence_rule.start);
}

TEST(Read, StartHasAKeyAndNoMoney) {
    ProviderConfig config = sample::demo();
    config.rules[0] = RuleConfig();
    config.rules[0].when = "payment.*";
    config.rules[0].action = Action::start;
    config.rules[0].workflow = "settle";
    config.rules[0].effect_key = {{"settle"}, {"/payment_id"}};
    const Event event = read(config, captured);
    EXPECT_EQ(event.action, Action::start);
    EXPECT_EQ(event.workflow, "settle");
    EXPECT_EQ(event.start_key.str(), "demo/settle/pay_1");
    EXPECT_TRUE(event.movements.empty());
}

}  // namespace
}  // namespace pawl::providers
