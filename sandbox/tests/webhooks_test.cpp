#include "sandbox/webhooks.hpp"

#include <gtest/gtest.h>

#include <set>

#include "sandbox/tests/client.hpp"

namespace pawl::sandbox {
namespace {

using test::Answer;
using test::Case;
using test::Client;
using test::Listener;

Options sending_to(const Listener& listener) {
    Options options;
    options.webhook_url = listener.url();
    return options;
}

std::string at(const Request& request, const char* pointer) {
    return Answer{200, "", request.body}.at(pointer);
}

// Made by Python's hmac module, over "1700000000." and the body.
TEST(Webhooks, AreSignedAsStripeSigns) {
    const crypto::HmacKey key(crypto::Hash::sha256, "whsec_test_secret");
    EXPECT_EQ(stripe_signature(key, Time{std::chrono::seconds(1700000000)}, R"({"id":"evt_1"})"),
              "t=1700000000,"
              "v1=248a374f50f943a28b0f6ab50faf9a7e7e29b710fa26df9fb1618b9bf8ea9c9a");
}

TEST(Webhooks, HaveTheShapeOfStripes) {
    Listener listener;
    const Case sandbox(sending_to(listener));
    const Answer made = sandbox.client().charge("o1");
    const auto arrived = listener.first(1);
    ASSERT_EQ(arrived.size(), 1U);
    EXPECT_EQ(arrived[0].path, "/w");
    EXPECT_EQ(arrived[0].header("Content-Type"), "application/json; charset=utf-8");
    EXPECT_TRUE(arrived[0].header("Stripe-Signature"));
    EXPECT_EQ(at(arrived[0], "/object"), "event");
    EXPECT_EQ(at(arrived[0], "/type"), "payment_intent.succeeded");
    EXPECT_TRUE(at(arrived[0], "/id").starts_with("evt_"));
    EXPECT_EQ(at(arrived[0], "/data/object"), made.body);
}

TEST(Webhooks, AreSentAgainUnchangedUntilTheyAreAcknowledged) {
    Listener listener;
    listener.answer(503);
    const Case sandbox(sending_to(listener));
    sandbox.client().charge("o1");
    ASSERT_GE(listener.first(3).size(), 3U);
    listener.answer(200);
    for (int i = 0; i < 5000 && sandbox.client().count("/webhooks/acknowledged") != "1"; ++i) {
    }
    EXPECT_EQ(sandbox.client().count("/webhooks/acknowledged"), "1");
    EXPECT_EQ(sandbox.client().count("/webhooks/events"), "1");
    std::set<std::string> bodies;
    for (const Request& request : listener.first(1)) bodies.insert(request.body);
    EXPECT_EQ(bodies.size(), 1U);
}

TEST(Webhooks, CanComeBeforeTheAnswer) {
    Listener listener;
    const Case sandbox(sending_to(listener));
    const Answer made = sandbox.client().charge("o1", {"", "webhook_first"});
    EXPECT_EQ(sandbox.client().count("/webhooks/acknowledged"), "1");
    EXPECT_EQ(at(listener.first(1).at(0), "/data/object/id"), made.at("/id"));
}

TEST(Webhooks, CanBeRepeatedOrNeverCome) {
    Listener listener;
    const Case sandbox(sending_to(listener));
    const Client client = sandbox.client();
    client.charge("o1", {"", "webhook_never"});
    client.charge("o2", {"", "webhook_repeated:3"});
    const auto arrived = listener.first(3);
    ASSERT_EQ(arrived.size(), 3U);
    for (const Request& request : arrived) {
        EXPECT_EQ(request.body, arrived[0].body);
        EXPECT_EQ(at(request, "/data/object/metadata/order"), "o2");
    }
    EXPECT_EQ(client.count("/webhooks/events"), "3");
}

TEST(Webhooks, ThereIsOneForEachChange) {
    Listener listener;
    const Case sandbox(sending_to(listener));
    const Client client = sandbox.client();
    std::size_t arrived = 0;
    const auto types = [&](std::size_t more) {
        const auto all = listener.first(arrived + more);
        std::set<std::string> found;
        for (std::size_t i = arrived; i < all.size(); ++i) found.insert(at(all[i], "/type"));
        arrived += more;
        return found;
    };
    using Types = std::set<std::string>;
    client.charge("o1", {"", "decline"});
    EXPECT_EQ(types(1), (Types{"payment_intent.payment_failed"}));
    const std::string id = client.charge("o2", {"", "requires_action"}).at("/id");
    EXPECT_EQ(types(1), (Types{"payment_intent.requires_action"}));
    client.post("/v1/payment_intents/" + id + "/cancel", "");
    EXPECT_EQ(types(1), (Types{"payment_intent.canceled"}));
    client.charge("o3", {"", "processing:10"});
    EXPECT_EQ(types(2), (Types{"payment_intent.processing", "payment_intent.succeeded"}));
    client.charge("o4", {"", "late_success:10"});
    EXPECT_EQ(types(2), (Types{"payment_intent.payment_failed", "payment_intent.succeeded"}));
    const std::string paid = client.charge("o5").at("/id");
    EXPECT_EQ(types(1), (Types{"payment_intent.succeeded"}));
    client.post("/v1/refunds", "payment_intent=" + paid + "&amount=100");
    EXPECT_EQ(types(2), (Types{"charge.refunded", "refund.created"}));
    client.post("/v1/refunds", "payment_intent=" + paid + "&amount=100", {"", "processing:10"});
    EXPECT_EQ(types(3), (Types{"refund.created", "charge.refunded", "refund.updated"}));
    client.post("/v1/refunds", "payment_intent=" + paid + "&amount=100", {"", "decline"});
    EXPECT_EQ(types(2), (Types{"refund.created", "refund.failed"}));
}

TEST(Webhooks, AnAddressIsJudgedAtStart) {
    for (const char* url : {"https://x/", "ftp://x", "http://", "http://x:0/", "http://x:y/"}) {
        Options options;
        options.port = 0;
        options.api_key = "k";
        options.webhook_secret = "s";
        options.webhook_url = url;
        Sandbox sandbox;
        EXPECT_FALSE(sandbox.start(options).ok()) << url;
    }
    EXPECT_EQ(parse_target("http://h:81/a?b")->path, "/a?b");
    EXPECT_EQ(parse_target("http://h")->port, 80);
}

}  // namespace
}  // namespace pawl::sandbox
