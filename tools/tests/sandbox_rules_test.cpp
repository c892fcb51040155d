// The shipped rules against what the sandbox really sends: each webhook is verified and read as the
// server would.
#include <gtest/gtest.h>

#include "providers/provider.hpp"
#include "sandbox/tests/client.hpp"
#include "settings/settings.hpp"

namespace pawl::app::test {
namespace {

using providers::Action;
using providers::Event;

constexpr const char* secret = "whsec_unit_secret";  // what sandbox::test::Case signs with

// A rule file that is shipped, with the secret of this test.
providers::Provider shipped(const std::string& name) {
    LoadOptions options;
    options.folder = PAWL_SOURCE_DIR "/config";
    options.dev = true;
    options.variables = [](const std::string& variable) -> std::optional<std::string> {
        const bool ours = variable == "STRIPE_WEBHOOK_SECRET" || variable == "PAWL_SANDBOX_SECRET";
        return ours ? std::optional<std::string>(secret) : std::nullopt;
    };
    const Loaded loaded = load(options);
    for (const ProviderFile& file : loaded.settings.providers) {
        if (file.config.name == name) return *providers::Provider::create(file.config);
    }
    throw std::runtime_error(name + " is not shipped");
}

class ShippedRules : public ::testing::TestWithParam<const char*> {
  protected:
    static sandbox::Options told_to(const sandbox::test::Listener& listener) {
        sandbox::Options options;
        options.webhook_url = listener.url();
        return options;
    }

    // Reads the webhooks after the first `seen` as the server would, by their types.
    std::map<std::string, Event> heard(std::size_t more) {
        const auto requests = listener_.first(seen_ + more);
        EXPECT_EQ(requests.size(), seen_ + more);
        std::map<std::string, Event> events;
        for (std::size_t i = seen_; i < requests.size(); ++i) {
            providers::Delivery delivery;
            delivery.body = requests[i].body;
            delivery.headers = {requests[i].headers.begin(), requests[i].headers.end()};
            delivery.received_at = SystemClock().now();
            auto received = provider_.receive(delivery);
            EXPECT_EQ(received.diagnosis, "ok") << received.detail;
            if (received.events.size() != 1) continue;
            events[received.events[0].type] = received.events[0];
        }
        seen_ += more;
        return events;
    }

    std::string pay(const std::string& order) {
        const std::string id =
            client_.charge(order, {}, "&metadata%5Baccount%5D=user%3A42").at("/id");
        heard(1);
        return id;
    }
    void refund(const std::string& payment, const std::string& fault = "") {
        client_.post("/v1/refunds",
                     "payment_intent=" + payment +
                         "&amount=700&metadata%5Baccount%5D=user%3A42"
                         "&metadata%5Bkey%5D=refund%3Ao1%3A1",
                     {"", fault});
    }

    providers::Provider provider_ = shipped(GetParam());
    std::size_t seen_ = 0;
    sandbox::test::Listener listener_;
    sandbox::test::Case sandbox_{told_to(listener_)};
    sandbox::test::Client client_ = sandbox_.client();
};

TEST_P(ShippedRules, APaymentIsCreditedUnderTheKeyThatChargeOrderUses) {
    const std::string id = client_.charge("o1", {}, "&metadata%5Baccount%5D=user%3A42").at("/id");
    const Event event = heard(1).at("payment_intent.succeeded");
    EXPECT_EQ(event.action, Action::credit);
    ASSERT_FALSE(event.movements.empty()) << event.quarantine;
    EXPECT_EQ(event.movements.at(0).amount, (Money{5000, *Currency::parse("USD")}));
    EXPECT_EQ(event.movements.at(0).account.str(), "user:42");
    EXPECT_EQ(event.movements.at(0).effect_key.str(), GetParam() + ("-test/capture/" + id));
    EXPECT_EQ(event.signal_key, "pay:o1:1");
}

TEST_P(ShippedRules, ARefundIsDebitedOnceItHasSucceededAndNeedsItsPayment) {
    const std::string id = pay("o1");
    refund(id);
    auto events = heard(2);
    EXPECT_EQ(events.at("charge.refunded").action, Action::ignore);
    const Event& event = events.at("refund.created");
    EXPECT_EQ(event.action, Action::debit);
    ASSERT_FALSE(event.movements.empty()) << event.quarantine;
    EXPECT_EQ(event.movements.at(0).amount.minor, 700);
    EXPECT_TRUE(event.movements.at(0).effect_key.str().starts_with(GetParam() +
                                                                   std::string("-test/refund/")));
    ASSERT_EQ(event.needs.size(), 1U);
    EXPECT_EQ(event.needs[0].str(), GetParam() + ("-test/capture/" + id));
    EXPECT_EQ(event.signal_key, "refund:o1:1");
}

TEST_P(ShippedRules, APendingRefundMovesNothingUntilItSucceeds) {
    refund(pay("o1"), "processing:20");
    auto events = heard(3);
    EXPECT_EQ(events.at("refund.created").action, Action::ignore);
    EXPECT_EQ(events.at("refund.updated").action, Action::debit);
}

TEST_P(ShippedRules, AFailedRefundReturnsOnlyItsOwnDebit) {
    refund(pay("o1"), "decline");
    auto events = heard(2);
    for (const char* type : {"refund.created", "refund.failed"}) {
        const Event& failed = events.at(type);
        EXPECT_EQ(failed.action, Action::credit) << type;
        ASSERT_FALSE(failed.movements.empty()) << failed.quarantine;
        ASSERT_EQ(failed.needs.size(), 1U);
        EXPECT_TRUE(
            failed.needs[0].str().starts_with(GetParam() + std::string("-test/refund/re_")));
        EXPECT_EQ(failed.unmet, providers::Unmet::ignore) << "it may never have succeeded";
        EXPECT_EQ(failed.signal_key, "refund:o1:1") << "its run asks the gateway";
    }
}

TEST_P(ShippedRules, APaymentThatHasNotSucceededMovesNothing) {
    client_.charge("o1", {"", "decline"});
    client_.charge("o2", {"", "requires_action"});
    for (const auto& [type, event] : heard(2)) EXPECT_TRUE(event.movements.empty()) << type;
}

INSTANTIATE_TEST_SUITE_P(files, ShippedRules, ::testing::Values("stripe", "sandbox"));

}  // namespace
}  // namespace pawl::app::test
