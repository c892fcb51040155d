#include "outbound/gateway.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "outbound/tests/loopback_server.hpp"

namespace pawl::outbound {
namespace {

using test::http_answer;
using test::LoopbackServer;
using test::Reaction;
using ::testing::HasSubstr;
using ::testing::Not;

GatewayConfig config() {
    GatewayConfig config;
    config.name = "stripe";
    config.books = "stripe";
    config.base_url = "https://api.stripe.com";
    config.api_key = "sk_test_not_published";
    return config;
}

std::unique_ptr<Gateway> gateway(const GatewayConfig& from = config()) {
    auto made = make_gateway(from);
    EXPECT_TRUE(made.ok()) << made.error().message;
    return std::move(*made);
}

Charge charge() {
    Charge charge;
    charge.order = "o&1";
    charge.attempt = 2;
    charge.key = "pay:o&1:2";
    charge.amount = {5000, *Currency::parse("USD")};
    charge.account = "user:42";
    charge.payment_method = "pm_card_visa";
    return charge;
}

TEST(StripeGateway, AChargeIsAFormWithOurKeyInItsMetadata) {
    const Call call = gateway()->charge(charge());
    EXPECT_EQ(call.method, "POST");
    EXPECT_EQ(call.path, "/v1/payment_intents");
    EXPECT_EQ(call.content_type, "application/x-www-form-urlencoded");
    EXPECT_EQ(call.body,
              "amount=5000&currency=usd&confirm=true&payment_method=pm_card_visa"
              "&automatic_payment_methods%5Benabled%5D=true"
              "&automatic_payment_methods%5Ballow_redirects%5D=never"
              "&metadata%5Border%5D=o%261&metadata%5Battempt%5D=2"
              "&metadata%5Bkey%5D=pay%3Ao%261%3A2&metadata%5Baccount%5D=user%3A42");
    EXPECT_EQ(gateway()->charge(charge()), call) << "the same charge, the same bytes";
}

TEST(StripeGateway, ACallCarriesItsCorrelationIdWhereItHasOne) {
    LoopbackServer server([](const std::string&) { return Reaction{http_answer(200, "{}")}; });
    GatewayConfig local = config();
    local.base_url = server.url("");
    local.allow_private = true;
    const auto stripe = gateway(local);
    stripe->send(stripe->charge(charge()), "pay:o&1:2", CorrelationId("corr_1"));
    stripe->send(stripe->charge(charge()), "pay:o&1:2", CorrelationId(""));
    ASSERT_EQ(server.requests().size(), 2U);
    EXPECT_THAT(server.requests()[0], HasSubstr("Pawl-Correlation-Id: corr_1\r\n"));
    EXPECT_THAT(server.requests()[1], Not(HasSubstr("Pawl-Correlation-Id")));
}

TEST(StripeGateway, AmountsAreWrittenAsStripeCountsThem) {
    const auto amount = [](std::int64_t minor, const char* currency) {
        Charge one = charge();
        one.amount = {minor, *Currency::parse(currency)};
        const std::string body = gateway()->charge(one).body;
        return body.substr(0, body.find('&'));
    };
    EXPECT_EQ(amount(10, "ISK"), "amount=1000");
    EXPECT_EQ(amount(10, "JPY"), "amount=10");
    EXPECT_EQ(amount(1000, "KWD"), "amount=1000");
    EXPECT_EQ(amount(1000, "MGA"), "amount=10");
    EXPECT_EQ(amount(1050, "MGA"), "amount=10.50") << "not rounded: Stripe refuses it";
}

TEST(StripeGateway, ARefundNamesItsPayment) {
    Refund refund{"o1", "refund:o1:1", "pi_1", {700, *Currency::parse("USD")}, "user:42"};
    const Call call = gateway()->refund(refund);
    EXPECT_EQ(call.path, "/v1/refunds");
    EXPECT_EQ(call.body,
              "payment_intent=pi_1&amount=700&metadata%5Border%5D=o1"
              "&metadata%5Bkey%5D=refund%3Ao1%3A1&metadata%5Baccount%5D=user%3A42");
}

TEST(StripeGateway, AuthorizationIsCapturedInOneOrSeveralParts) {
    Charge wanted = charge();
    wanted.manual_capture = true;
    EXPECT_THAT(gateway()->charge(wanted).body, HasSubstr("&capture_method=manual&"));
    Capture capture{{"pay:o1:1", "capture:o1:1:1"}, "pi_1", {3000, *Currency::parse("USD")}, true};
    const Call final = gateway()->capture(capture);
    EXPECT_EQ(final.path, "/v1/payment_intents/pi_1/capture");
    EXPECT_EQ(final.body, "amount_to_capture=3000&metadata%5Bcapture%5D=capture%3Ao1%3A1%3A1");
    capture.final = false;
    EXPECT_THAT(gateway()->capture(capture).body, HasSubstr("&final_capture=false&"));
    EXPECT_THAT(gateway()->charge(charge()).body, Not(HasSubstr("capture")));
}

TEST(StripeGateway, LookupsAndCancelsCannotLeaveTheirPath) {
    const auto stripe = gateway();
    EXPECT_EQ(stripe->find_charge("pay:o1:1", "pi_1").path,
              "/v1/payment_intents/pi_1?expand%5B%5D=latest_charge");
    EXPECT_EQ(stripe->find_charge("pay:o'\\1:1", "").path,
              "/v1/payment_intents/search?query=metadata%5B%27key%27%5D%3A%27pay%3Ao%5C%27%5C%5C1"
              "%3A1%27");
    EXPECT_EQ(stripe->find_charges_of("o'1").path,
              "/v1/payment_intents/search?query=metadata%5B%27order%27%5D%3A%27o%5C%271%27&limit="
              "100");
    EXPECT_EQ(stripe->find_refund("refund:o1:1", "pi_1").path,
              "/v1/refunds?payment_intent=pi_1&limit=100");
    EXPECT_EQ(stripe->cancel("../x?y").path, "/v1/payment_intents/..%2Fx%3Fy/cancel");
    EXPECT_EQ(stripe->key_bytes_max(), 255U);
}

TEST(StripeGateway, ACallGoesOutWithItsKeyAndAQuestionWithout) {
    LoopbackServer server(
        [](const std::string&) { return Reaction{http_answer(200, R"({"id":"pi_1"})")}; });
    GatewayConfig local = config();
    local.base_url = server.url();
    local.allow_private = true;
    const auto stripe = gateway(local);
    stripe->send(stripe->charge(charge()), "pay:o1:2");
    stripe->send(stripe->find_charge("pay:o1:2", "pi_1"), "");
    const auto requests = server.requests();
    ASSERT_EQ(requests.size(), 2U);
    EXPECT_THAT(requests[0], HasSubstr("POST /v1/payment_intents HTTP/1.1\r\n"));
    EXPECT_THAT(requests[0], HasSubstr("\r\nIdempotency-Key: pay:o1:2\r\n"));
    EXPECT_THAT(requests[0], HasSubstr("\r\nAuthorization: Bearer sk_test_not_published\r\n"));
    EXPECT_THAT(requests[0], HasSubstr("\r\nStripe-Version: 20"));
    EXPECT_THAT(requests[0], HasSubstr("\r\n\r\namount=5000&"));
    EXPECT_THAT(requests[1], HasSubstr("GET /v1/payment_intents/pi_1?"));
    EXPECT_THAT(requests[1], Not(HasSubstr("Idempotency-Key")));
}

TEST(Gateway, AnUnusableGatewayIsRefusedWithAReason) {
    const struct {
        const char* name;
        void (*spoil)(GatewayConfig&);
        const char* says;
    } cases[] = {
        {"adyen", [](GatewayConfig& c) { c.kind = "adyen"; }, "by this version"},
        {"generic", [](GatewayConfig& c) { c.kind = "generic"; }, "by this version"},
        {"unknown", [](GatewayConfig& c) { c.kind = "bank"; }, "unknown"},
        {"in clear", [](GatewayConfig& c) { c.base_url = "http://api.stripe.com"; }, "https://"},
        {"no address", [](GatewayConfig& c) { c.base_url = ""; }, "https://"},
        {"no key", [](GatewayConfig& c) { c.api_key = ""; }, "api_key is empty"},
        {"key with a line break", [](GatewayConfig& c) { c.api_key = "sk_live_1\n"; }, "line"},
    };
    for (const auto& one : cases) {
        GatewayConfig spoiled = config();
        one.spoil(spoiled);
        const auto made = make_gateway(spoiled);
        ASSERT_FALSE(made.ok()) << one.name;
        EXPECT_THAT(made.error().message, HasSubstr(one.says)) << one.name;
        EXPECT_THAT(made.error().message, Not(HasSubstr("sk_"))) << one.name;
    }
}

}  // namespace
}  // namespace pawl::outbound
