#include "sandbox/faults.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "sandbox/tests/client.hpp"

namespace pawl::sandbox {
namespace {

using test::Answer;
using test::Call;
using test::Case;
using test::Client;

struct FaultCase {
    const char* fault;
    int status;           // of the first send; 0: no answer
    const char* charges;  // after it
    int again;            // of a second send under the same key, without a fault
    bool replayed;
    const char* charges_after;
};

// Each row is a promise that tests elsewhere build on.
const FaultCase fault_cases[] = {
    {"latency:1", 200, "1", 200, true, "1"},
    {"reset_before", 0, "0", 200, false, "1"},
    {"timeout_before:50", 0, "0", 200, false, "1"},
    {"conflict", 409, "0", 200, false, "1"},
    {"rate_limit:7", 429, "0", 200, false, "1"},
    {"unavailable", 503, "0", 200, false, "1"},
    {"error", 500, "0", 500, true, "0"},
    {"error_after", 500, "1", 500, true, "1"},
    {"reset_after", 0, "1", 200, true, "1"},
    {"timeout_after:50", 0, "1", 200, true, "1"},
    {"decline", 402, "0", 402, true, "0"},
    {"requires_action", 200, "0", 200, true, "0"},
    {"processing:600000", 200, "0", 200, true, "0"},
    {"late_success:600000", 402, "0", 402, true, "0"},
    {"partial:50", 200, "1", 200, true, "1"},
    {"webhook_never", 200, "1", 200, true, "1"},
    {"webhook_first:1", 200, "1", 200, true, "1"},
};

TEST(Faults, EachDoesWhatItsRowSays) {
    for (const FaultCase& one : fault_cases) {
        const Case sandbox;
        const Client client = sandbox.client();
        EXPECT_EQ(client.charge("o1", {"", one.fault}).status, one.status) << one.fault;
        EXPECT_EQ(client.count("/charges"), one.charges) << one.fault;
        const Answer again = client.charge("o1");
        EXPECT_EQ(again.status, one.again) << one.fault;
        EXPECT_EQ(again.replayed(), one.replayed) << one.fault;
        EXPECT_EQ(client.count("/charges"), one.charges_after) << one.fault;
        EXPECT_EQ(client.count("/keys_seen/pay:o1:1"), "2") << one.fault;
    }
}

TEST(Faults, APaymentMethodCanNameOneForTheFirstSend) {
    const Case sandbox;
    const Client client = sandbox.client();
    EXPECT_EQ(client.charge("o1", {}, "&payment_method=pm_reset_after").status, 0);
    EXPECT_TRUE(client.charge("o1", {}, "&payment_method=pm_reset_after").replayed());
    EXPECT_EQ(client.charge("o2", {}, "&payment_method=pm_unavailable").status, 503);
    EXPECT_EQ(client.charge("o2", {}, "&payment_method=pm_unavailable").status, 200);
    EXPECT_EQ(client.charge("o3", {}, "&payment_method=pm_card_declined").status, 402);
    EXPECT_EQ(client.charge("o4", {}, "&payment_method=pm_card_visa").status, 200);
}

TEST(Faults, AProcessingPaymentSucceedsByItself) {
    const Case sandbox;
    const Client client = sandbox.client();
    const Answer made = client.charge("o1", {"", "processing:20"});
    EXPECT_EQ(made.at("/status"), "processing");
    const std::string path = "/v1/payment_intents/" + made.at("/id");
    for (int i = 0; i < 500 && client.get(path).at("/status") != "succeeded"; ++i) {
        std::this_thread::yield();
    }
    EXPECT_EQ(client.get(path).at("/status"), "succeeded");
    EXPECT_EQ(client.count("/charges"), "1");
}

TEST(Faults, RetryAfterAndPartialAmountsAreReported) {
    const Case sandbox;
    const Client client = sandbox.client();
    EXPECT_NE(client.charge("o1", {"", "rate_limit:7"}).head.find("Retry-After: 7"),
              std::string::npos);
    EXPECT_EQ(client.charge("o2", {"", "partial:40"}).at("/amount_received"), "2000");
}

TEST(Faults, WhileItIsDownEverythingIsRefusedButControl) {
    const Case sandbox;
    const Client client = sandbox.client();
    EXPECT_EQ(client.post("/sandbox/faults", R"({"down":true})").at("/down"), "true");
    EXPECT_EQ(client.charge("o1").status, 0);
    EXPECT_EQ(client.get("/v1/refunds").status, 0);
    EXPECT_EQ(client.count("/charges"), "0");
    EXPECT_EQ(client.count("/keys_seen/pay:o1:1"), "missing") << "no webhook was received";
    client.post("/sandbox/faults", R"({"down":false})");
    EXPECT_EQ(client.charge("o1").status, 200);
}

TEST(Faults, RatesAreSetWhileItRuns) {
    const Case sandbox;
    const Client client = sandbox.client();
    client.post("/sandbox/faults", R"({"faults":["unavailable=100"]})");
    EXPECT_EQ(client.charge("o1").status, 503);
    EXPECT_EQ(client.get("/sandbox/faults").at("/faults/0"), "unavailable=100:0");
    EXPECT_EQ(client.post("/sandbox/faults", R"({"faults":["a=1"]})").status, 400);
    EXPECT_EQ(client.post("/sandbox/faults", R"({"faults":["error=60","decline=60"]})").status,
              400);
    client.post("/sandbox/faults", R"({"faults":[]})");
    EXPECT_EQ(client.charge("o1").status, 200);
    EXPECT_EQ(client.count("/faults/unavailable"), "1");
}

TEST(Faults, ChanceIsTheSeedAndNothingElse) {
    const auto drawn = [](std::uint64_t seed) {
        Faults faults(seed);
        EXPECT_TRUE(faults.set({*parse_fault_rate("error=10"), *parse_fault_rate("decline=10")}));
        std::string all;
        for (std::uint64_t i = 0; i < 2000; ++i) {
            const FaultList list = faults.draw("pay:o" + std::to_string(i) + ":1", 1);
            all += list.empty() ? '.' : list[0].kind == FaultKind::error ? 'e' : 'd';
        }
        return all;
    };
    EXPECT_EQ(drawn(7), drawn(7));
    EXPECT_NE(drawn(7), drawn(8));
    const std::string all = drawn(7);
    EXPECT_NEAR(static_cast<int>(std::count(all.begin(), all.end(), 'e')), 200, 60);
    EXPECT_NEAR(static_cast<int>(std::count(all.begin(), all.end(), 'd')), 200, 60);
}

TEST(Faults, AreParsedStrictly) {
    EXPECT_EQ(*parse_fault("timeout_after:500"), (Fault{FaultKind::timeout_after, 500}));
    EXPECT_EQ(parse_fault("timeout_after")->arg, 60000);
    EXPECT_EQ(parse_faults("decline, webhook_repeated:3")->size(), 2U);
    EXPECT_EQ(to_text(*parse_fault_rate("latency=5:20")), "latency=5:20");
    for (const char* wrong : {"", "timeout", "decline:x", "decline:-1", "latency:99999999999"}) {
        EXPECT_FALSE(parse_fault(wrong).ok()) << wrong;
    }
    for (const char* wrong : {"decline", "decline=", "decline=101", "decline=x", "decline=-1"}) {
        EXPECT_FALSE(parse_fault_rate(wrong).ok()) << wrong;
    }
}

}  // namespace
}  // namespace pawl::sandbox
