// The answers to a correct client, and the counts of charges.
#include <gtest/gtest.h>

#include <thread>

#include "sandbox/tests/client.hpp"

namespace pawl::sandbox {
namespace {

using test::Answer;
using test::Call;
using test::Case;
using test::Client;

TEST(Payments, AChargeSucceedsAndIsCounted) {
    const Case sandbox;
    const Client client = sandbox.client();
    const Answer answer = client.charge("o1");
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.at("/status"), "succeeded");
    EXPECT_EQ(answer.at("/amount_received"), "5000");
    EXPECT_EQ(answer.at("/currency"), "usd");
    EXPECT_EQ(answer.at("/metadata/key"), "pay:o1:1");
    EXPECT_TRUE(answer.at("/id").starts_with("pi_"));
    EXPECT_EQ(client.count("/charges"), "1");
    EXPECT_EQ(client.count("/by_order/o1"), "1");
    EXPECT_EQ(client.count("/by_key/pay:o1:1"), "1");
    EXPECT_EQ(client.count("/keys_seen/pay:o1:1"), "1");
    EXPECT_EQ(client.count("/amounts/usd/charged"), "5000");
    EXPECT_EQ(client.get("/v1/payment_intents/" + answer.at("/id")).body, answer.body);
}

TEST(Payments, TheSameKeyIsAnsweredAgainAndChargedOnce) {
    const Case sandbox;
    const Client client = sandbox.client();
    const Answer first = client.charge("o1");
    const Answer again = client.charge("o1");
    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(again.status, 200);
    EXPECT_FALSE(first.replayed());
    EXPECT_TRUE(again.replayed());
    EXPECT_EQ(client.count("/charges"), "1");
    EXPECT_EQ(client.count("/keys_seen/pay:o1:1"), "2");
}

TEST(Payments, TheSameKeyWithAnotherBodyIsAnIdempotencyError) {
    const Case sandbox;
    const Client client = sandbox.client();
    client.charge("o1");
    const Answer other = client.charge("o2", {"pay:o1:1"});
    EXPECT_EQ(other.status, 400);
    EXPECT_EQ(other.at("/error/type"), "idempotency_error");
    EXPECT_EQ(client.count("/charges"), "1");
}

TEST(Payments, TheSameKeyAtTheSameTimeIsAConflict) {
    const Case sandbox;
    const Client client = sandbox.client();
    std::vector<int> statuses(8);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < statuses.size(); ++i) {
        threads.emplace_back([&, i] {
            statuses[i] = client.charge("o1", {"", "latency:300"}).status;
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(std::count(statuses.begin(), statuses.end(), 200), 1);
    EXPECT_EQ(std::count(statuses.begin(), statuses.end(), 409), 7);
    EXPECT_EQ(client.count("/charges"), "1");
}

TEST(Payments, AKeyExpiresAfterItsHorizonAndIsThenChargedAgain) {
    const Case sandbox;
    const Client client = sandbox.client();
    client.charge("o1");
    client.post("/sandbox/clock", R"({"advance":"23h"})");
    EXPECT_TRUE(client.charge("o1").replayed());
    client.post("/sandbox/clock", R"({"advance":"2h"})");
    EXPECT_FALSE(client.charge("o1").replayed());
    EXPECT_EQ(client.count("/by_order/o1"), "2") << "the judge counts what was really charged";
    EXPECT_EQ(client.count("/by_key/pay:o1:1"), "2");
}

TEST(Payments, AMalformedRequestIsRefusedAndNotStored) {
    const Case sandbox;
    const Client client = sandbox.client();
    for (const char* body :
         {"", "amount=0&currency=usd", "amount=10.50&currency=usd", "amount=-5&currency=usd",
          "amount=5000", "amount=5000&currency=USD", "amount=5000&currency=xyz",
          "amount=5000&currency=usd&colour=red", "amount=%zz"}) {
        const Answer answer = client.post("/v1/payment_intents", body, {"k"});
        EXPECT_EQ(answer.status, 400) << body;
        EXPECT_EQ(answer.at("/error/type"), "invalid_request_error") << body;
    }
    EXPECT_EQ(client.charge("o1", {"k"}).status, 200) << "the key is still free";
}

TEST(Payments, WithoutTheApiKeyNothingIsAnswered) {
    const Case sandbox;
    const Client client = sandbox.client();
    EXPECT_EQ(client.charge("o1", {"", "", "sk_test_wrong"}).status, 401);
    EXPECT_EQ(client.get("/v1/refunds", {"", "", "sk_test_wrong"}).status, 401);
    EXPECT_EQ(client.get("/v1/nothing").status, 404);
    EXPECT_EQ(client.count("/charges"), "0");
}

TEST(Payments, ThePayerActsAndThePaymentSucceeds) {
    const Case sandbox;
    const Client client = sandbox.client();
    const Answer made = client.charge("o1", {}, "&payment_method=pm_requires_action");
    EXPECT_EQ(made.at("/status"), "requires_action");
    EXPECT_EQ(made.at("/next_action/type"), "use_stripe_sdk");
    EXPECT_EQ(client.count("/charges"), "0");
    const std::string confirm = "/v1/payment_intents/" + made.at("/id") + "/confirm";
    EXPECT_EQ(client.post(confirm, "").at("/status"), "succeeded");
    EXPECT_EQ(client.post(confirm, "").status, 400);
    EXPECT_EQ(client.count("/charges"), "1");
}

TEST(Payments, APaymentIsCancelledUntilItHasSucceeded) {
    const Case sandbox;
    const Client client = sandbox.client();
    const auto cancel = [&](const Answer& made) {
        return client.post("/v1/payment_intents/" + made.at("/id") + "/cancel", "");
    };
    const Answer open = client.charge("o1", {"", "requires_action"});
    EXPECT_EQ(cancel(open).at("/status"), "canceled");
    EXPECT_EQ(cancel(open).at("/error/payment_intent/status"), "canceled");
    const Answer late = cancel(client.charge("o2"));
    EXPECT_EQ(late.status, 400);
    EXPECT_EQ(late.at("/error/code"), "payment_intent_unexpected_state");
    EXPECT_EQ(late.at("/error/payment_intent/status"), "succeeded");
    EXPECT_EQ(client.post("/v1/payment_intents/pi_none/cancel", "").status, 404);
}

TEST(Payments, ASearchFindsByMetadataOnceTheIndexHasCaughtUp) {
    Options options;
    options.search_lag = std::chrono::minutes(1);
    const Case sandbox(options);
    const Client client = sandbox.client();
    const std::string id = client.charge("o1").at("/id");
    client.charge("o2");
    const std::string search =
        "/v1/payment_intents/search?query=metadata%5B%27key%27%5D%3A%27pay%3Ao1%3A1%27";
    EXPECT_EQ(client.get(search).at("/data"), "[]");
    client.post("/sandbox/clock", R"({"advance":"2m"})");
    EXPECT_EQ(client.get(search).at("/data/0/id"), id);
    EXPECT_EQ(client.get(search).at("/data/1"), "missing");
    EXPECT_EQ(client.get("/v1/payment_intents/search?query=status%3A1").status, 400);
}

TEST(Payments, RefundsNeverExceedWhatWasReceived) {
    const Case sandbox;
    const Client client = sandbox.client();
    const std::string id = client.charge("o1").at("/id");
    const auto refund = [&](const std::string& amount, const Call& call = {}) {
        return client.post(
            "/v1/refunds",
            "payment_intent=" + id + "&amount=" + amount + "&metadata%5Bkey%5D=refund%3Ao1%3A1",
            call);
    };
    EXPECT_EQ(refund("5001").status, 400);
    const Answer first = refund("3000", {"refund:o1:1"});
    EXPECT_EQ(first.at("/status"), "succeeded");
    EXPECT_EQ(refund("3000", {"refund:o1:1"}).body, first.body);
    EXPECT_EQ(refund("2001").status, 400);
    EXPECT_EQ(refund("1000", {"", "decline"}).at("/status"), "failed");
    EXPECT_EQ(refund("2000").status, 200);
    EXPECT_EQ(refund("1").at("/error/code"), "charge_already_refunded");
    EXPECT_EQ(client.count("/refunds"), "2");
    EXPECT_EQ(client.count("/amounts/usd/refunded"), "5000");
    EXPECT_EQ(client.count("/refunds_by_key/refund:o1:1"), "2");
    EXPECT_EQ(client.get("/v1/refunds/" + first.at("/id")).body, first.body);
    const Answer list = client.get("/v1/refunds?payment_intent=" + id + "&limit=2");
    EXPECT_EQ(list.at("/has_more"), "true");
    EXPECT_EQ(list.at("/data/1/status"), "failed");
}

TEST(Payments, RefundsMadeAtOnceNeverExceedItEither) {
    const Case sandbox;
    const Client client = sandbox.client();
    const std::string id = client.charge("o1").at("/id");
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back(
            [&] { client.post("/v1/refunds", "payment_intent=" + id + "&amount=2000"); });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(client.count("/refunds"), "2");
}

constexpr const char* manual =
    "&capture_method=manual&payment_method_options%5Bcard%5D%5Brequest_multicapture%5D=if_available"
    "&expand%5B%5D=latest_charge";

TEST(Payments, AnAuthorizationIsCapturedInPartsAndEachIsCounted) {
    const Case sandbox;
    const Client client = sandbox.client();
    const Answer authorized = client.charge("o1", {}, manual);
    EXPECT_EQ(authorized.at("/status"), "requires_capture");
    EXPECT_EQ(authorized.at("/amount_capturable"), "5000");
    EXPECT_EQ(authorized.at("/amount_received"), "0");
    EXPECT_NE(authorized.at("/latest_charge/payment_method_details/card/capture_before"),
              "missing");
    EXPECT_EQ(client.count("/charges"), "0");
    const std::string capture = "/v1/payment_intents/" + authorized.at("/id") + "/capture";
    const Answer part = client.post(
        capture, "amount_to_capture=3000&final_capture=false&metadata%5Bcapture%5D=c1", {"c1"});
    EXPECT_EQ(part.at("/status"), "requires_capture");
    EXPECT_EQ(part.at("/amount_capturable"), "2000");
    EXPECT_EQ(part.at("/amount_received"), "3000");
    EXPECT_EQ(part.at("/metadata/capture"), "c1");
    EXPECT_EQ(part.at("/metadata/key"), "pay:o1:1");
    EXPECT_EQ(client.post(capture, "amount_to_capture=2001", {"c2"}).status, 400);
    const Answer last = client.post(capture, "amount_to_capture=1000", {"c3"});
    EXPECT_EQ(last.at("/status"), "succeeded");
    EXPECT_EQ(last.at("/amount_received"), "4000");
    EXPECT_EQ(last.at("/amount_capturable"), "0");
    const Answer late = client.post(capture, "amount_to_capture=1000", {"c4"});
    EXPECT_EQ(late.at("/error/code"), "payment_intent_unexpected_state");
    EXPECT_EQ(client.count("/captures_by_key/c1"), "1");
    EXPECT_EQ(client.count("/captures_by_key/c3"), "1");
    EXPECT_EQ(client.count("/amounts/usd/charged"), "4000");
}

TEST(Payments, AnAuthorizationIsVoidedOrExpires) {
    const Case sandbox;
    const Client client = sandbox.client();
    const std::string voided = client.charge("o1", {}, manual).at("/id");
    const Answer cancel = client.post("/v1/payment_intents/" + voided + "/cancel", "", {"x1"});
    EXPECT_EQ(cancel.at("/status"), "canceled");
    EXPECT_EQ(client.count("/voids"), "1");
    const std::string expired = client.charge("o2", {}, manual).at("/id");
    const std::string captured = client.charge("o3", {}, manual).at("/id");
    client.post("/v1/payment_intents/" + captured + "/capture",
                "amount_to_capture=3000&final_capture=false", {"c1"});
    client.post("/sandbox/clock", R"({"advance":"8d"})");
    EXPECT_EQ(client.get("/v1/payment_intents/" + expired).at("/status"), "canceled");
    EXPECT_EQ(client.get("/v1/payment_intents/" + captured).at("/status"), "succeeded");
    EXPECT_EQ(client.get("/v1/payment_intents/" + captured).at("/amount_received"), "3000");
}

TEST(Payments, ASecondCaptureNeedsWhatWasAskedForAtFirst) {
    const Case sandbox;
    const Client client = sandbox.client();
    const std::string once = client.charge("o1", {}, "&capture_method=manual").at("/id");
    const std::string path = "/v1/payment_intents/" + once + "/capture";
    EXPECT_EQ(client.post(path, "amount_to_capture=1000&final_capture=false", {"c1"}).status, 400);
    EXPECT_EQ(client.post(path, "amount_to_capture=1000", {"c2", "decline"}).status, 402);
    EXPECT_EQ(client.post(path, "amount_to_capture=1000", {"c3"}).at("/status"), "succeeded");
    EXPECT_EQ(client.count("/charges"), "1");
}

}  // namespace
}  // namespace pawl::sandbox
