// Files that are refused before the first delivery, and the words they are written in.
#include "providers/provider.hpp"

#include <thread>

#include "base/crypto.hpp"
#include "providers/tests/sample.hpp"

namespace pawl::providers {
namespace {

const std::pair<const char*, void (*)(ProviderConfig&)> dangerous_files[] = {
    {"no name", [](ProviderConfig& c) { c.name = ""; }},
    {"a name with a slash", [](ProviderConfig& c) { c.name = "a/b"; }},
    {"books with a slash", [](ProviderConfig& c) { c.books = "a/b"; }},
    {"a preset and a table", [](ProviderConfig& c) { c.scheme = SchemeConfig{}; }},
    {"no event id", [](ProviderConfig& c) { c.read.event_id = {}; }},
    {"an event id without its slash", [](ProviderConfig& c) { c.read.event_id = {{"id"}}; }},
    {"no type", [](ProviderConfig& c) { c.read.type = {}; }},
    {"a bad pointer", [](ProviderConfig& c) { c.read.type = {{"/a~b"}}; }},
    {"a sequence without its slash", [](ProviderConfig& c) { c.read.sequence = "sequence"; }},
    {"no items at all", [](ProviderConfig& c) { c.read.items_max = 0; }},
    {"expecting nothing",
     [](ProviderConfig& c) {
         c.read.expect = {{"/a", {}}};
     }},
    {"no account", [](ProviderConfig& c) { c.rules[0].account = ""; }},
    {"one account for all", [](ProviderConfig& c) { c.rules[0].account = "account"; }},
    {"no amount", [](ProviderConfig& c) { c.rules[0].amount = ""; }},
    {"a fixed amount", [](ProviderConfig& c) { c.rules[0].amount = "100"; }},
    {"an amount from an unsigned header",
     [](ProviderConfig& c) { c.rules[0].amount = "header:X"; }},
    {"a currency that is none", [](ProviderConfig& c) { c.rules[0].currency = "currency"; }},
    {"no effect key", [](ProviderConfig& c) { c.rules[0].effect_key = {}; }},
    {"an effect key without a kind", [](ProviderConfig& c) { c.rules[0].effect_key = {{"/id"}}; }},
    {"an effect key that is constant",
     [](ProviderConfig& c) {
         c.rules[0].effect_key = {{"capture"}, {"payment_id"}};
     }},
    {"an effect key from an unsigned header",
     [](ProviderConfig& c) {
         c.rules[0].effect_key = {{"capture"}, {"header:X-Id"}};
     }},
    {"a need from an unsigned header",
     [](ProviderConfig& c) {
         c.rules[0].needs = {{{"capture"}, {"header:X-Id"}}};
     }},
    {"a star in the middle", [](ProviderConfig& c) { c.rules[0].when = "a*b"; }},
    {"an empty when", [](ProviderConfig& c) { c.rules[0].when = ""; }},
    {"hold without a sequence",
     [](ProviderConfig& c) {
         c.read.sequence = "";
         c.rules[0].order = OrderingPolicy::hold;
     }},
    {"by object without an object",
     [](ProviderConfig& c) {
         c.read.object = {};
         c.rules[0].order_scope = OrderScope::object;
     }},
    {"a total of captures where they are one",
     [](ProviderConfig& c) { c.rules[0].amount_is = AmountIs::total; }},
    {"a capture under an id where they are totals",
     [](ProviderConfig& c) {
         c.captures = CaptureShape::total;
         c.rules[0].effect_key = {{"capture"}, {"/payment_id"}, {"/id"}};
     }},
    {"the account of a need without needs",
     [](ProviderConfig& c) { c.rules[0].account = "needs"; }},
    {"an effect as well as movements",
     [](ProviderConfig& c) { c.rules[0].moves.push_back({.action = Action::credit}); }},
    {"a movement that moves nothing",
     [](ProviderConfig& c) {
         c.rules[0].action = Action::ignore;
         c.rules[0].moves.push_back({.action = Action::ignore});
     }},
    {"a dispute of no payment", [](ProviderConfig& c) { c.rules[0].dispute = Dispute::opened; }},
    {"set_balance that is not strict",
     [](ProviderConfig& c) { c.rules[0].action = Action::set_balance; }},
    {"set_balance without its sequence in the key",
     [](ProviderConfig& c) {
         c.rules[0].action = Action::set_balance;
         c.rules[0].order = OrderingPolicy::strict;
     }},
    {"a start without a key",
     [](ProviderConfig& c) {
         c.rules[0] = sample::ignore_rule();
         c.rules[0].action = Action::start;
         c.rules[0].workflow = "w";
     }},
    {"money on the word of a token", [](ProviderConfig& c) { c.preset = "xendit"; }},
    {"money on a partial signature", [](ProviderConfig& c) { c.preset = "midtrans"; }},
};

TEST(Provider, FilesThatCouldLoseOrDoubleMoneyAreRefused) {
    EXPECT_EQ(sample::refusal(sample::demo()), "");
    for (const auto& [what, change] : dangerous_files) {
        ProviderConfig config = sample::demo();
        change(config);
        EXPECT_NE(sample::refusal(config), "") << what;
    }
}

TEST(Provider, ASignedHeaderMayCarryAnEffectKey) {
    ProviderConfig config = sample::demo();
    config.rules[0].effect_key = {{"capture"}, {"header:webhook-id"}};
    EXPECT_EQ(sample::refusal(config), "");
}

TEST(Provider, MoneyThatNeedsConfirmationIsQuarantinedForAnOperator) {
    ProviderConfig config = sample::demo();
    config.preset = "xendit";
    config.rules[0].confirm_by_fetch = true;
    EXPECT_EQ(sample::read(config, sample::captured).quarantine, "confirm_unavailable");
    EXPECT_TRUE(sample::read(config, sample::captured).movements.empty());
    config.rules[0].confirm_by_fetch = false;
    config.rules[0].trust_transport = true;
    EXPECT_FALSE(sample::read(config, sample::captured).movements.empty());
}

TEST(Provider, AHeaderThatAuthenticatesItsSenderIsStoredAsAHash) {
    ProviderConfig config = sample::demo();
    config.preset = "xendit";
    config.rules[0].trust_transport = true;
    const Provider provider = sample::compiled(config);
    const std::string token(sample::secret);
    const Headers stored = provider.storable({{"X-Callback-Token", token},
                                              {"authorization", "Basic dXNlcjpwYXNz"},
                                              {"webhook-id", "e1"}});
    EXPECT_EQ(stored[0].second, "sha256:" + crypto::sha256_hex(token));
    EXPECT_EQ(stored[1].second, "sha256:" + crypto::sha256_hex("Basic dXNlcjpwYXNz"));
    EXPECT_EQ(stored[2].second, "e1");
    const Delivery delivery{"POST", "/", stored, std::string(sample::captured), sample::moment()};
    EXPECT_EQ(provider.receive(delivery).diagnosis, "wrong_secret");
    const Received again = provider.read_again(delivery);
    EXPECT_EQ(again.diagnosis, "stored_verdict");
    EXPECT_FALSE(again.events.at(0).movements.empty());
}

TEST(Provider, ASignatureIsStoredAsItCame) {
    const Provider provider = sample::compiled(sample::demo());
    const Delivery delivery = sample::signed_delivery(provider, sample::captured);
    EXPECT_EQ(provider.storable(delivery.headers), delivery.headers);
}

TEST(Provider, BooksDefaultToTheNameAndTheSchemeIsFilledIn) {
    const Provider provider = sample::compiled(sample::demo());
    EXPECT_EQ(provider.config().books, "demo");
    ASSERT_TRUE(provider.config().scheme);
    EXPECT_EQ(provider.config().scheme->source, "header:webhook-signature");
}

TEST(Provider, OneProviderServesManyThreadsAtOnce) {
    const Provider provider = sample::compiled(sample::demo());
    const Delivery delivery = sample::signed_delivery(provider, sample::captured);
    std::atomic<int> good = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int n = 0; n < 500; ++n) {
                if (!provider.receive(delivery).events.at(0).movements.empty()) ++good;
            }
        });
    }
    threads.clear();
    EXPECT_EQ(good, 2000);
}

TEST(ProviderWords, AreTheWordsOfTheFilesAndErrorsListThem) {
    EXPECT_EQ(parse_alg("hmac-sha512").value(), Alg::hmac_sha512);
    EXPECT_EQ(parse_time_unit("ms").value(), TimeUnit::milliseconds);
    EXPECT_EQ(parse_order("hold").value(), OrderingPolicy::hold);
    EXPECT_NE(parse_order("late").error().message.find("late_ok, hold, strict"), std::string::npos);
    EXPECT_EQ(parse_effect("set_balance")->action, Action::set_balance);
    EXPECT_EQ(parse_effect("start:charge_order")->workflow, "charge_order");
    EXPECT_EQ(parse_effect("signal:x")->action, Action::signal);
    for (const char* bad : {"", "start", "start:", "credits", "begin:x"}) {
        EXPECT_FALSE(parse_effect(bad).ok()) << bad;
    }
    EXPECT_EQ(parse_ack("json").value(), std::nullopt);
    EXPECT_EQ(parse_ack("text:[accepted]").value(), "[accepted]");
    EXPECT_FALSE(parse_ack("xml").ok());
}

}  // namespace
}  // namespace pawl::providers
