// An operator's actions on events of the demo provider: the events, the actions, and what a test
// reads afterwards. For one thread.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "intents/accept/accept.hpp"
#include "intents/operator/operating.hpp"
#include "intents/verify/verify.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"

namespace pawl::intents {

// The demo provider with a rule for one type; the tests add rules as an operator would.
inline providers::ProviderConfig config(bool with_refunds) {
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
    ActResult post(const providers::Provider& provider, const std::string& id,
                   const std::string& check) {
        db::Session own = database.session();
        return apply_operator_action(own, provider, {Act::post, id, "ana", "because", {}, check},
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

}  // namespace pawl::intents
