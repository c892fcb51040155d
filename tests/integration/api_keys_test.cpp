// Idempotency keys of /v1: the draft standard's cases and Stripe's, as far as they need a database.
#include <latch>

#include "base/fault.hpp"
#include "tests/integration/api_case.hpp"

namespace pawl::testing {
namespace {

using payments::State;
using std::chrono::days;
using std::chrono::seconds;

class ApiKeys : public Api {};

TEST_F(ApiKeys, TheSameKeyTwiceIsOneChargeAndIdenticalBytes) {
    put_order("o1");
    const auto first = pay("o1", "k1");
    EXPECT_EQ(first.status, 201) << first.body;
    EXPECT_EQ(member(first, "state"), "succeeded");
    EXPECT_EQ(header(first, "Idempotent-Replayed"), "");
    EXPECT_EQ(header(first, "Location"), "/v1/payments/" + member(first, "payment_id"));
    const auto second = pay("o1", "k1");
    EXPECT_EQ(second.status, 201);
    EXPECT_EQ(second.body, first.body);
    EXPECT_EQ(second.content_type, first.content_type);
    EXPECT_EQ(header(second, "Location"), header(first, "Location"));
    EXPECT_EQ(header(second, "Idempotent-Replayed"), "true");
    EXPECT_EQ(provider.charges("pay:o1:1"), 1);
}

TEST_F(ApiKeys, AQuotedKeyAndTheBareOneAreTheSame) {
    put_order("o1");
    const auto first = pay("o1", "k-1");
    EXPECT_EQ(pay("o1", "\"k-1\"").body, first.body);
    EXPECT_EQ(code(pay("o1", "K-1")), "409 order_paid");
}

TEST_F(ApiKeys, AnotherRequestUnderTheSameKeyIsRefusedWhateverDiffers) {
    put_order("o1");
    put_order("o2");
    pay("o1", "k1", R"({"payment_method":"pm_1"})");
    struct Case {
        const char* name;
        Asked asked;
    };
    Asked other_type = payment("o1", "k1", R"({"payment_method":"pm_1"})");
    other_type.headers[1].second = "application/json; charset=utf-8";
    const Case cases[] = {
        {"other body", payment("o1", "k1", R"({"payment_method":"pm_2"})")},
        {"other white space", payment("o1", "k1", R"({"payment_method": "pm_1"})")},
        {"other order", payment("o2", "k1", R"({"payment_method":"pm_1"})")},
        {"other content type", other_type}};
    for (const Case& one : cases) {
        EXPECT_EQ(code(ask(one.asked)), "422 idempotency_key_reused") << one.name;
    }
    EXPECT_EQ(provider.charged_keys(), 1U);
}

TEST_F(ApiKeys, TheBodysBytesDecideAndNotWhatTheyMean) {
    const char* bodies[] = {R"({"payment_method":"pm_a"})",   R"({"payment_method": "pm_a"})",
                            R"({"payment_method":"pm_a"} )",  R"({"payment_method":"pm_\u0061"})",
                            R"({"payment_method":"\u00e9"})", R"({"payment_method":"é"})",
                            R"({"payment_method":"é"})"};
    int n = 0;
    for (const char* body : bodies) {
        const std::string order = "o" + std::to_string(n++);
        put_order(order);
        EXPECT_EQ(pay(order, "k" + order, body).status, 201) << body;
        EXPECT_EQ(header(pay(order, "k" + order, body), "Idempotent-Replayed"), "true") << body;
        for (const char* other : bodies) {
            if (std::string_view(other) == body) continue;
            EXPECT_EQ(pay(order, "k" + order, other).status, 422) << body << " then " << other;
        }
    }
}

TEST_F(ApiKeys, AreApartForAnotherRouteAndAnotherPrincipal) {
    put_order("o1");
    put_order("o2");
    const auto paid = pay("o1", "k1");
    const auto refund = ask({"POST",
                             "/v1/payments/" + member(paid, "payment_id") + "/refunds",
                             R"({"amount":100})",
                             {{"Idempotency-Key", "k1"}}});
    EXPECT_EQ(refund.status, 201) << refund.body;
    EXPECT_EQ(ask(payment("o2", "k1"), "other_shop").status, 201);
}

TEST_F(ApiKeys, AnErrorOfValidationIsNotStored) {
    EXPECT_EQ(code(pay("o1", "k1", "{")), "400 invalid_payment");
    EXPECT_EQ(code(pay("o1", "k1")), "404 unknown_order");
    put_order("o1");
    EXPECT_EQ(code(pay("o1", "k1", R"({"payment_method":7})")), "400 invalid_payment");
    EXPECT_EQ(database.value("SELECT count(*) FROM idempotency_keys"), "0");
    EXPECT_EQ(pay("o1", "k1", R"({"payment_method":"pm_7"})").status, 201);
}

TEST_F(ApiKeys, AKeyThatIsMissingOrMalformedExecutesNothing) {
    put_order("o1");
    Asked none = payment("o1", "");
    none.headers.erase(none.headers.begin());
    EXPECT_EQ(code(ask(none)), "400 idempotency_key_missing");
    Asked twice = payment("o1", "k1");
    twice.headers.emplace_back("idempotency-key", "k1");
    EXPECT_EQ(code(ask(twice)), "400 idempotency_key_invalid");
    EXPECT_EQ(code(pay("o1", std::string(256, 'k'))), "400 idempotency_key_invalid");
    EXPECT_EQ(database.value("SELECT count(*) FROM payments"), "0");
    EXPECT_EQ(pay("o1", std::string(255, 'k')).status, 201);
}

TEST_F(ApiKeys, AWaitThatRunsOutStoresIts202AndReplaysItEvenAfterSettlement) {
    put_order("o1");
    const auto first = pay("o1", "k1", R"({"payment_method":"pm_held"})", "0");
    EXPECT_EQ(first.status, 202);
    EXPECT_EQ(header(first, "Location"), "/v1/payments/" + member(first, "payment_id"));
    provider.settle(member(first, "payment_id"), State::succeeded);
    const auto again = pay("o1", "k1", R"({"payment_method":"pm_held"})", "0");
    EXPECT_EQ(again.status, 202);
    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(header(again, "Idempotent-Replayed"), "true");
    const auto now = ask({"GET", header(first, "Location"), "", {}});
    EXPECT_EQ(member(now, "state"), "succeeded");
}

TEST_F(ApiKeys, SecondRequestDuringTheFirstIsRefusedAsInProgress) {
    put_order("o1");
    const Asked asked = payment("o1", "k1", R"({"payment_method":"pm_held"})", "20");
    auto first = send(asked);
    while (database.value("SELECT count(*) FROM payments") != "1") std::this_thread::yield();
    const auto second = ask(asked);
    EXPECT_EQ(code(second), "409 idempotency_in_progress");
    EXPECT_EQ(header(second, "Retry-After"), "1");
    provider.settle(database.value("SELECT payment_id FROM payments"), State::declined);
    const auto answer = first.get();
    EXPECT_EQ(answer.status, 201);
    EXPECT_EQ(member(answer, "state"), "declined");
    EXPECT_EQ(ask(asked).body, answer.body);
}

TEST_F(ApiKeys, ExpiredKeyMayBeReusedForAnotherRequest) {
    put_order("o1");
    put_order("o2");
    pay("o1", "k1");
    EXPECT_EQ(pay("o2", "k1").status, 422);
    clock.advance(days(31));
    EXPECT_EQ(pay("o2", "k1").status, 201);
}

TEST_F(ApiKeys, AnUnfinishedOneIsKeptWhateverItsAge) {
    put_order("o1");
    const Asked asked = payment("o1", "k1", R"({"payment_method":"pm_held"})", "0");
    database.run(
        "INSERT INTO idempotency_keys VALUES ('shop', "
        "'POST /v1/orders/{order}/payments', 'k1', '" +
        std::string(32, 'x') + "'::bytea, 'pay_x', NULL, NULL, NULL, now(), now(), NULL, now())");
    clock.advance(days(400));
    EXPECT_EQ(code(ask(asked)), "422 idempotency_key_reused");
}

TEST_F(ApiKeys, TwoHundredConcurrentFirstUsesRunOnceWithoutA500) {
    put_order("o1");
    std::vector<std::future<http::Reply>> replies;
    for (int i = 0; i < 200; ++i) replies.push_back(send(payment("o1", "k1")));
    std::map<int, int> statuses;
    std::set<std::string> bodies;
    for (auto& future : replies) {
        const auto reply = future.get();
        ++statuses[reply.status];
        if (reply.status == 201) bodies.insert(reply.body);
    }
    EXPECT_EQ(statuses[201] + statuses[409], 200);
    EXPECT_GE(statuses[201], 1);
    EXPECT_EQ(bodies.size(), 1U);
    EXPECT_EQ(database.value("SELECT count(*) FROM workflow_runs"), "1");
    EXPECT_EQ(provider.charges("pay:o1:1"), 1);
    EXPECT_EQ(pay("o1", "k1").body, *bodies.begin());
}

TEST_F(ApiKeys, TwoKeysForOneOrderAreOneCharge) {
    put_order("o1");
    auto first = send(payment("o1", "k1"));
    auto second = send(payment("o1", "k2"));
    const auto a = first.get(), b = second.get();
    EXPECT_EQ(std::min(a.status, b.status), 201);
    EXPECT_EQ(std::max(a.status, b.status), 409);
    const auto& winner = a.status == 201 ? a : b;
    const auto& loser = a.status == 201 ? b : a;
    EXPECT_EQ(header(loser, "Location"), header(winner, "Location"));
    EXPECT_EQ(code(pay("o1", "k3")), "409 order_paid");
    EXPECT_EQ(provider.charges("pay:o1:1"), 1);
    EXPECT_EQ(provider.charged_keys(), 1U);
}

TEST_F(ApiKeys, TwoHundredKeysForOneOrderAreOneCharge) {
    put_order("o1");
    std::vector<std::future<http::Reply>> replies;
    for (int i = 0; i < 200; ++i) replies.push_back(send(payment("o1", "k" + std::to_string(i))));
    std::map<int, int> statuses;
    for (auto& future : replies) ++statuses[future.get().status];
    EXPECT_EQ(statuses[201], 1);
    EXPECT_EQ(statuses[409], 199);
    EXPECT_EQ(provider.charged_keys(), 1U);
}

TEST_F(ApiKeys, TwoHundredWaitsAtOnceHoldNoThreadAndNoSession) {
    std::vector<std::future<http::Reply>> replies;
    for (int i = 0; i < 200; ++i) put_order("o" + std::to_string(i));
    for (int i = 0; i < 200; ++i) {
        const std::string n = std::to_string(i);
        replies.push_back(send(payment("o" + n, "k" + n, R"({"payment_method":"pm_held"})", "20")));
    }
    while (database.value("SELECT count(*) FROM payments") != "200") std::this_thread::yield();
    EXPECT_EQ(ask({"GET", "/v1/orders/o7", "", {}}).status, 200) << "another client is answered";
    clock.advance(seconds(30));
    for (auto& future : replies) EXPECT_EQ(future.get().status, 202);
}

class StripeKeys : public Api {
  protected:
    StripeKeys() : Api({true, days(30)}) {}
};

TEST_F(StripeKeys, AnotherBodyIsA400AndTheRestIsTheSame) {
    put_order("o1");
    const auto first = pay("o1", "k1");
    EXPECT_EQ(first.status, 201);
    EXPECT_EQ(code(pay("o1", "k1", R"({"payment_method":"pm_2"})")), "400 idempotency_key_reused");
    EXPECT_EQ(pay("o1", "k1").body, first.body);
    EXPECT_EQ(header(pay("o1", "k1"), "Idempotent-Replayed"), "true");
    EXPECT_EQ(member(ask({"GET", "/v1/idempotency", "", {}}), "profile"), "stripe");
}

}  // namespace
}  // namespace pawl::testing
