// Our reading of Stripe's answers against a program that shares none of it: each fault of the
// sandbox, as the first send and as the second, and what the sandbox then says it really charged.
#include <gtest/gtest.h>
#include <signal.h>

#include <memory>
#include <thread>

#include "base/keys.hpp"
#include "outbound/gateway.hpp"
#include "tests/e2e/sandbox_program.hpp"

namespace pawl::testing {
namespace {

using outbound::Charge;
using outbound::Gateway;
using outbound::GatewayOutcome;
using outbound::GatewayResult;

constexpr const char* api_key = "sk_test_pawl_sandbox_key_for_tests_only";

class GatewayAgainstSandbox : public ::testing::Test {
  protected:
    std::unique_ptr<Gateway> gateway(const std::string& key = api_key) const {
        outbound::GatewayConfig config;
        config.name = "sandbox";
        config.base_url = sandbox_.url();
        config.api_key = key;
        config.timeout = std::chrono::milliseconds(1500);
        config.allow_private = true;
        auto made = outbound::make_gateway(config);
        EXPECT_TRUE(made.ok());
        return std::move(*made);
    }
    static Charge charge(const std::string& order, const std::string& payment_method = "") {
        return {order,         1, payment_key(order, 1), {5000, *Currency::parse("USD")}, "user:42",
                payment_method};
    }
    GatewayResult send(const Charge& one, bool in_doubt) const {
        const auto to = gateway();
        return to->read_charge(to->send(to->charge(one), one.key), one.key, in_doubt);
    }
    GatewayResult find(const Charge& one, const std::string& reference = "") const {
        const auto to = gateway();
        return to->read_found_charge(to->send(to->find_charge(one.key, reference), ""), one.key);
    }

    SandboxProgram sandbox_{9, {}};  // its webhooks have no receiver
};

struct FaultRow {
    const char* fault;
    GatewayOutcome first;
    std::int64_t charges;  // after the first send
    GatewayOutcome again;  // of the second, in doubt
    std::int64_t charges_again;
    GatewayOutcome found;
};

const FaultRow rows[] = {
    {"card_visa", GatewayOutcome::succeeded, 1, GatewayOutcome::succeeded, 1,
     GatewayOutcome::succeeded},
    {"latency:50", GatewayOutcome::succeeded, 1, GatewayOutcome::succeeded, 1,
     GatewayOutcome::succeeded},
    {"reset_before", GatewayOutcome::unknown, 0, GatewayOutcome::succeeded, 1,
     GatewayOutcome::succeeded},
    {"timeout_before:20000", GatewayOutcome::unknown, 0, GatewayOutcome::succeeded, 1,
     GatewayOutcome::succeeded},
    {"conflict", GatewayOutcome::unknown, 0, GatewayOutcome::succeeded, 1,
     GatewayOutcome::succeeded},
    {"rate_limit:3", GatewayOutcome::refused, 0, GatewayOutcome::succeeded, 1,
     GatewayOutcome::succeeded},
    {"unavailable", GatewayOutcome::unknown, 0, GatewayOutcome::succeeded, 1,
     GatewayOutcome::succeeded},
    {"error", GatewayOutcome::unknown, 0, GatewayOutcome::unknown, 0, GatewayOutcome::not_found},
    {"error_after", GatewayOutcome::unknown, 1, GatewayOutcome::unknown, 1,
     GatewayOutcome::succeeded},
    {"reset_after", GatewayOutcome::unknown, 1, GatewayOutcome::succeeded, 1,
     GatewayOutcome::succeeded},
    {"timeout_after:20000", GatewayOutcome::unknown, 1, GatewayOutcome::succeeded, 1,
     GatewayOutcome::succeeded},
    {"card_declined", GatewayOutcome::declined, 0, GatewayOutcome::declined, 0,
     GatewayOutcome::declined},
    {"late_success:600000", GatewayOutcome::declined, 0, GatewayOutcome::declined, 0,
     GatewayOutcome::declined},
    {"requires_action", GatewayOutcome::requires_action, 0, GatewayOutcome::requires_action, 0,
     GatewayOutcome::requires_action},
    {"processing:600000", GatewayOutcome::processing, 0, GatewayOutcome::processing, 0,
     GatewayOutcome::processing},
    {"partial:40", GatewayOutcome::succeeded, 1, GatewayOutcome::succeeded, 1,
     GatewayOutcome::succeeded},
};

TEST_F(GatewayAgainstSandbox, EveryFaultEndsAsDocumentedAndChargesOnce) {
    int n = 0;
    for (const FaultRow& row : rows) {
        const std::string order = "o" + std::to_string(++n);
        const Charge one = charge(order, "pm_" + std::string(row.fault));
        const auto charged = [&] { return sandbox_.counts().by_order[order]; };
        EXPECT_EQ(send(one, false).ending, row.first) << row.fault;
        EXPECT_EQ(charged(), row.charges) << row.fault;
        EXPECT_EQ(send(one, true).ending, row.again) << row.fault;
        EXPECT_EQ(charged(), row.charges_again) << row.fault;
        EXPECT_EQ(find(one).ending, row.found) << row.fault;
        EXPECT_EQ(charged(), row.charges_again) << row.fault;
    }
}

TEST_F(GatewayAgainstSandbox, AnAnswerSaysWhatMovedAndALookupTheSame) {
    const Charge whole = charge("whole");
    const GatewayResult answer = send(whole, false);
    EXPECT_EQ(answer.moved, whole.amount);
    EXPECT_EQ(find(whole).reference, answer.reference);
    EXPECT_EQ(find(whole, answer.reference).moved, whole.amount);
    EXPECT_EQ(find(charge("other"), answer.reference).ending, GatewayOutcome::foreign)
        << "not its key";
    EXPECT_EQ(send(charge("part", "pm_partial:40"), false).moved->minor, 2000);
    EXPECT_EQ(send(charge("limited", "pm_rate_limit:3"), false).retry_after,
              std::chrono::seconds(3));
    Charge krona = charge("krona");
    krona.amount = {10, *Currency::parse("ISK")};
    EXPECT_EQ(send(krona, false).moved, krona.amount);
    Charge fraction = charge("fraction");
    fraction.amount = {1050, *Currency::parse("MGA")};
    const GatewayResult refused = send(fraction, false);
    EXPECT_EQ(refused.ending, GatewayOutcome::refused) << "not rounded";
    EXPECT_FALSE(refused.may_retry);
}

TEST_F(GatewayAgainstSandbox, AWrongApiKeyIsARefusalAtFirstAndSaysNothingLater) {
    const Charge one = charge("o1");
    const auto wrong = gateway("sk_test_of_somebody_else");
    const auto outcome = wrong->send(wrong->charge(one), one.key);
    EXPECT_EQ(wrong->read_charge(outcome, "pay:o1:1", false).ending, GatewayOutcome::refused);
    EXPECT_TRUE(wrong->read_charge(outcome, "pay:o1:1", false).may_retry);
    EXPECT_EQ(wrong->read_charge(outcome, "pay:o1:1", true).ending, GatewayOutcome::unknown);
    const auto asked = wrong->send(wrong->find_charge(one.key, ""), "");
    EXPECT_EQ(wrong->read_found_charge(asked, one.key).ending, GatewayOutcome::unknown);
    EXPECT_EQ(sandbox_.counts().charges, 0);
}

TEST_F(GatewayAgainstSandbox, AnotherBodyUnderAUsedKeyIsUnknownEvenAtFirst) {
    const Charge one = charge("o1");
    send(one, false);
    Charge other = one;
    other.amount.minor = 1;
    EXPECT_EQ(send(other, false).ending, GatewayOutcome::unknown);
    EXPECT_EQ(sandbox_.counts().charges, 1);
}

TEST_F(GatewayAgainstSandbox, SendsAtTheSameTimeChargeOnce) {
    const Charge one = charge("o1", "pm_latency:400");
    std::vector<GatewayOutcome> endings(6);
    std::vector<std::thread> threads;
    for (GatewayOutcome& ending : endings) {
        threads.emplace_back([&] { ending = send(one, false).ending; });
    }
    for (std::thread& thread : threads) thread.join();
    for (const GatewayOutcome ending : endings) {
        EXPECT_TRUE(ending == GatewayOutcome::succeeded || ending == GatewayOutcome::unknown);
    }
    EXPECT_EQ(sandbox_.counts().charges, 1);
    EXPECT_EQ(send(one, true).ending, GatewayOutcome::succeeded);
}

// The reason to look up instead of resending after the horizon.
TEST_F(GatewayAgainstSandbox, AnExpiredKeyChargesAgain) {
    const Charge one = charge("o1");
    send(one, false);
    sandbox_.set("clock", R"({"advance":"25h"})");
    EXPECT_EQ(find(one).ending, GatewayOutcome::succeeded);
    EXPECT_EQ(sandbox_.counts().charges, 1);
    send(one, true);
    EXPECT_EQ(sandbox_.counts().charges, 2);
    EXPECT_EQ(find(one).ending, GatewayOutcome::unknown)
        << "two payments carry the key: an operator decides";
}

TEST_F(GatewayAgainstSandbox, AGatewayThatIsDownLeavesCallsUnknown) {
    const Charge one = charge("o1");
    sandbox_.set("faults", R"({"down":true})");
    EXPECT_EQ(send(one, false).ending, GatewayOutcome::unknown);
    EXPECT_EQ(find(one).ending, GatewayOutcome::unknown);
    sandbox_.set("faults", R"({"down":false})");
    EXPECT_EQ(find(one).ending, GatewayOutcome::not_found);
    EXPECT_EQ(send(one, true).ending, GatewayOutcome::succeeded);
}

TEST_F(GatewayAgainstSandbox, APaymentIsCancelledUnlessItHasSucceeded) {
    const auto to = gateway();
    const auto cancel = [&](const GatewayResult& made, const std::string& order) {
        return to->read_cancel(to->send(to->cancel(made.reference), ""), payment_key(order, 1))
            .ending;
    };
    const GatewayResult open = send(charge("o1", "pm_requires_action"), false);
    EXPECT_EQ(open.action->type, "use_stripe_sdk");
    EXPECT_FALSE(open.action->client_secret.empty());
    EXPECT_EQ(cancel(open, "o1"), GatewayOutcome::canceled);
    EXPECT_EQ(cancel(open, "o1"), GatewayOutcome::canceled)
        << "a second time, as after a lost answer";
    EXPECT_EQ(cancel(send(charge("o2"), false), "o2"), GatewayOutcome::succeeded);
    EXPECT_EQ(cancel(send(charge("o3", "pm_processing:600000"), false), "o3"),
              GatewayOutcome::refused);
    EXPECT_EQ(find(charge("o1"), open.reference).ending, GatewayOutcome::canceled);
}

TEST_F(GatewayAgainstSandbox, AuthorizationIsCapturedOnceForEachKeyAndFoundByIt) {
    const auto to = gateway();
    Charge wanted = charge("o1");
    wanted.manual_capture = true;
    const GatewayResult authorized = send(wanted, false);
    EXPECT_EQ(authorized.ending, GatewayOutcome::authorized);
    EXPECT_EQ(authorized.capturable, wanted.amount);
    EXPECT_FALSE(authorized.moved);
    ASSERT_TRUE(authorized.capture_before);
    EXPECT_EQ(find(wanted, authorized.reference).capture_before, authorized.capture_before);
    const auto keys = [&](int n) {
        return outbound::CaptureKeys{wanted.key, capture_key("o1", 1, n)};
    };
    const auto capture = [&](int n, std::int64_t minor, bool final, bool in_doubt) {
        const outbound::Capture one{
            keys(n), authorized.reference, {minor, wanted.amount.currency}, final};
        return to->read_capture(to->send(to->capture(one), keys(n).capture), keys(n), in_doubt);
    };
    const auto found = [&](int n) {
        const auto outcome = to->send(to->find_charge(wanted.key, authorized.reference), "");
        return to->read_found_capture(outcome, keys(n)).ending;
    };
    sandbox_.set("faults", R"({"faults":["reset_after=100"]})");
    EXPECT_EQ(capture(1, 1000, false, false).ending, GatewayOutcome::unknown);
    sandbox_.set("faults", R"({"faults":[]})");
    EXPECT_EQ(found(1), GatewayOutcome::succeeded);
    const GatewayResult again = capture(1, 1000, false, true);
    EXPECT_EQ(again.ending, GatewayOutcome::succeeded);
    EXPECT_EQ(again.moved->minor, 1000);
    EXPECT_EQ(again.capturable->minor, 4000);
    EXPECT_EQ(found(2), GatewayOutcome::not_found);
    EXPECT_EQ(capture(2, 4001, true, false).ending, GatewayOutcome::refused);
    EXPECT_EQ(capture(3, 2000, true, false).moved->minor, 3000);
    EXPECT_EQ(capture(4, 100, true, false).ending, GatewayOutcome::failed) << "nothing is left";
    EXPECT_EQ(found(3), GatewayOutcome::succeeded);
    EXPECT_EQ(sandbox_.counts().captures_by_key,
              (std::map<std::string, std::int64_t>{{keys(1).capture, 1}, {keys(3).capture, 1}}));
    EXPECT_EQ(sandbox_.counts().usd_charged, 3000);
}

TEST_F(GatewayAgainstSandbox, RefundsAreMadeOnceAndFoundByTheirKey) {
    const auto to = gateway();
    const GatewayResult paid = send(charge("o1"), false);
    const auto refund = [&](int n, std::int64_t minor, bool in_doubt) {
        const std::string key = refund_key("o1", n);
        const outbound::Refund one{
            "o1", key, paid.reference, {minor, *Currency::parse("USD")}, "user:42"};
        return to->read_refund(to->send(to->refund(one), key), key, in_doubt);
    };
    const auto found = [&](int n) {
        const std::string key = refund_key("o1", n);
        const auto outcome = to->send(to->find_refund(key, paid.reference), "");
        return to->read_found_refund(outcome, key);
    };
    const GatewayResult first = refund(1, 3000, false);
    EXPECT_EQ(first.ending, GatewayOutcome::succeeded);
    EXPECT_EQ(first.moved->minor, 3000);
    EXPECT_EQ(refund(1, 3000, true).reference, first.reference);
    EXPECT_EQ(refund(2, 3000, false).ending, GatewayOutcome::refused) << "more than is left";
    EXPECT_EQ(found(1).reference, first.reference);
    EXPECT_EQ(found(2).ending, GatewayOutcome::not_found);
    sandbox_.set("faults", R"({"faults":["processing=100:600000"]})");
    EXPECT_EQ(refund(3, 500, false).ending, GatewayOutcome::processing);
    sandbox_.set("faults", R"({"faults":["decline=100"]})");
    EXPECT_EQ(refund(4, 500, false).ending, GatewayOutcome::failed);
    sandbox_.set("faults", R"({"faults":["reset_after=100"]})");
    EXPECT_EQ(refund(5, 500, false).ending, GatewayOutcome::unknown);
    sandbox_.set("faults", R"({"faults":[]})");
    EXPECT_EQ(found(5).ending, GatewayOutcome::succeeded);
    EXPECT_EQ(refund(5, 500, true).ending, GatewayOutcome::succeeded);
    EXPECT_EQ(sandbox_.counts().refunds, 2);
}

}  // namespace
}  // namespace pawl::testing
