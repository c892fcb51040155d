// Providers and deliveries for the tests of this folder: the shipped demo and stripe files as
// values, one captured payment, and a fixed time. Created per test.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

#include "providers/provider.hpp"

namespace pawl::providers::sample {

// 24 bytes in base64, as Standard Webhooks publishes it; at Stripe the same text is the key itself.
inline constexpr std::string_view secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLJSw";
inline constexpr std::string_view other_secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX";

inline Time moment() {
    return Time(std::chrono::seconds(1767225600));
}  // 2026-01-01T00:00:00Z

inline RuleConfig credit_rule() {
    RuleConfig rule;
    rule.when = "payment.captured";
    rule.action = Action::credit;
    rule.account = "/account";
    rule.amount = "/amount";
    rule.currency = "/currency";
    rule.effect_key = {{"capture"}, {"/payment_id"}};
    rule.jobs = {"notify"};
    return rule;
}

inline RuleConfig ignore_rule() {
    RuleConfig rule;
    rule.when = "*";
    return rule;
}

inline ProviderConfig demo() {
    ProviderConfig config;
    config.name = "demo";
    config.preset = "standard-webhooks";
    config.secrets = {std::string(secret)};
    config.read.event_id = {{"/id"}};
    config.read.type = {{"/type"}};
    config.read.object = {{"/payment_id"}};
    config.read.sequence = "/sequence";
    config.rules = {credit_rule(), ignore_rule()};
    return config;
}

inline ProviderConfig stripe() {
    ProviderConfig config = demo();
    config.name = "stripe";
    config.preset = "stripe";
    config.read.object = {{"/data/object/id"}};
    config.read.sequence = "";
    RuleConfig& rule = config.rules[0];
    rule.when = "payment_intent.succeeded";
    rule.account = "/data/object/metadata/account";
    rule.amount = "/data/object/amount_received";
    rule.currency = "/data/object/currency";
    rule.effect_key = {{"capture"}, {"/data/object/id"}};
    return config;
}

inline constexpr std::string_view captured =
    R"({"id":"evt_1","type":"payment.captured","payment_id":"pay_1","account":"user:42",)"
    R"("amount":1050,"currency":"usd","sequence":7})";

inline Provider compiled(const ProviderConfig& config) {
    auto provider = Provider::create(config);
    EXPECT_TRUE(provider.ok()) << (provider ? "" : provider.error().message);
    return *provider;
}

inline std::string refusal(const ProviderConfig& config) {
    const auto provider = Provider::create(config);
    return provider ? "" : provider.error().message;
}

// Signed and received at the same moment.
inline Delivery signed_delivery(const Provider& provider, std::string_view body,
                                std::string_view private_key = {}) {
    Delivery delivery;
    delivery.body = body;
    delivery.received_at = moment();
    const auto headers = provider.sign({"msg_1", delivery.body, moment()}, private_key);
    EXPECT_TRUE(headers.ok()) << (headers ? "" : headers.error().message);
    if (headers) delivery.headers = *headers;
    return delivery;
}

inline Received receive(const ProviderConfig& config, std::string_view body) {
    const Provider provider = compiled(config);
    return provider.receive(signed_delivery(provider, body));
}

// The only event of a body, which must be authentic.
inline Event read(const ProviderConfig& config, std::string_view body) {
    Received received = receive(config, body);
    EXPECT_EQ(received.diagnosis, "ok");
    EXPECT_EQ(received.events.size(), 1U);
    return received.events.empty() ? Event() : received.events[0];
}

// `body` with the first `from` replaced.
inline std::string with(std::string_view body, std::string_view from, std::string_view to) {
    std::string changed(body);
    const auto at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) changed.replace(at, from.size(), to);
    return changed;
}

}  // namespace pawl::providers::sample
