// Orders, payments, refunds, cancellations and balances, as callers of /v1 see them.
#include "tests/integration/api_case.hpp"

namespace pawl::testing {
namespace {

using payments::RefundState;
using payments::State;

class ApiOrders : public Api {
  protected:
    http::Reply put(const std::string& body, http::HeaderLines headers = {},
                    const std::string& order = "o1") {
        return ask({"PUT", "/v1/orders/" + order, body, std::move(headers)});
    }
    http::Reply get(const std::string& target) { return ask({"GET", target, "", {}}); }
    http::Reply refund(const std::string& payment, const std::string& key,
                       const std::string& body) {
        return ask({"POST",
                    "/v1/payments/" + payment + "/refunds",
                    body,
                    {{"Idempotency-Key", key}, {"Prefer", "wait=5"}}});
    }
    http::Reply cancel(const std::string& payment, const std::string& wait = "5") {
        return ask(
            {"POST", "/v1/payments/" + payment + "/cancel", "", {{"Prefer", "wait=" + wait}}});
    }
    std::string paid(const std::string& order) {
        put_order(order);
        return member(pay(order, "k-" + order), "payment_id");
    }
};

constexpr const char* usual =
    R"({"amount":5000,"currency":"USD","account":"user:42","gateway":"sandbox"})";

TEST_F(ApiOrders, AnOrderIsMadeOnceIsTheSameAgainAndDiffersLoudly) {
    const auto made = put(usual);
    EXPECT_EQ(made.status, 201);
    EXPECT_EQ(header(made, "ETag"), "\"1\"");
    EXPECT_EQ(header(made, "Location"), "/v1/orders/o1");
    EXPECT_EQ(member(made, "state"), "open");
    const auto again =
        put(R"({"gateway":"sandbox", "amount":5e3, "currency":"usd","account":"user:42"})");
    EXPECT_EQ(again.status, 200) << "said in other words";
    EXPECT_EQ(again.body, made.body);
    const auto other =
        put(R"({"amount":6000,"currency":"USD","account":"user:42","gateway":"sandbox"})");
    EXPECT_EQ(code(other), "409 order_differs");
    EXPECT_EQ(other.content_type, "application/problem+json");
    EXPECT_EQ(header(other, "ETag"), "\"1\"");
}

TEST_F(ApiOrders, AChangeNeedsTheVersionThatWasSeen) {
    put(usual);
    const char* dearer =
        R"({"amount":6000,"currency":"USD","account":"user:42","gateway":"sandbox"})";
    EXPECT_EQ(code(put(dearer, {{"If-Match", "\"2\""}})), "412 version_differs");
    const auto changed = put(dearer, {{"If-Match", "\"1\""}});
    EXPECT_EQ(changed.status, 200);
    EXPECT_EQ(header(changed, "ETag"), "\"2\"");
    EXPECT_EQ(put(dearer, {{"If-Match", "\"1\""}}).status, 200) << "the retry of a lost answer";
    EXPECT_EQ(code(put(usual, {{"If-Match", "\"1\""}})), "412 version_differs");
    EXPECT_EQ(put(usual, {{"If-Match", "*"}}).status, 200);
    EXPECT_EQ(code(put(usual, {{"If-Match", "*"}}, "nowhere")), "412 version_differs");
}

TEST_F(ApiOrders, AnOrderThatIsBeingPaidDoesNotChange) {
    put(usual);
    pay("o1", "k1", R"({"payment_method":"pm_held"})", "0");
    const auto reply =
        put(R"({"amount":1,"currency":"USD","account":"user:42","gateway":"sandbox"})",
            {{"If-Match", "\"1\""}});
    EXPECT_EQ(code(reply), "409 payment_live");
    EXPECT_EQ(member(get("/v1/orders/o1"), "state"), "open");
}

TEST_F(ApiOrders, InvalidOrderIsRefusedWithTheReason) {
    struct Case {
        const char* body;
        const char* says;
    };
    const Case cases[] = {
        {"", "body: missing"},
        {"[]", "object"},
        {R"({"amount":0,"currency":"USD","account":"a","gateway":"sandbox"})", "amount"},
        {R"({"amount":-1,"currency":"USD","account":"a","gateway":"sandbox"})", "amount"},
        {R"({"amount":10.50,"currency":"USD","account":"a","gateway":"sandbox"})", "amount"},
        {R"({"amount":"10","currency":"USD","account":"a","gateway":"sandbox"})", "amount"},
        {R"({"amount":9223372036854775808,"currency":"USD","account":"a","gateway":"sandbox"})",
         "amount"},
        {R"({"currency":"USD","account":"a","gateway":"sandbox"})", "amount"},
        {R"({"amount":1,"currency":"XXX","account":"a","gateway":"sandbox"})", "XXX"},
        {R"({"amount":1,"account":"a","gateway":"sandbox"})", "currency"},
        {R"({"amount":1,"currency":"USD","gateway":"sandbox"})", "account"},
        {R"({"amount":1,"currency":"USD","account":"","gateway":"sandbox"})", "account"},
        {R"({"amount":1,"currency":"USD","account":"a\u0000","gateway":"sandbox"})", "account"},
        {R"({"amount":1,"currency":"USD","account":"x:clearing","gateway":"sandbox"})", "clearing"},
        {R"({"amount":1,"currency":"USD","account":"fees:x","gateway":"sandbox"})",
         "system account"},
        {R"({"amount":1,"currency":"USD","account":"bank:x","gateway":"sandbox"})",
         "system account"},
        {R"({"amount":1,"currency":"USD","account":" a","gateway":"sandbox"})", "blank"},
        {R"({"amount":1,"currency":"USD","account":"a ","gateway":"sandbox"})", "blank"},
        {R"({"amount":1,"currency":"USD","account":"a","gateway":""})", "gateway"},
        {R"({"amount":1,"currency":"USD","account":"a","gateway":"other"})", "other"},
        {R"({"amount":1,"amount":2,"currency":"USD","account":"a","gateway":"sandbox"})", "JSON"}};
    for (const Case& one : cases) {
        const auto reply = put(one.body);
        EXPECT_EQ(code(reply), "400 invalid_order") << one.body;
        EXPECT_NE(reply.body.find(one.says), std::string::npos) << one.body << reply.body;
    }
    EXPECT_EQ(code(put(usual, {}, "a%20b")), "400 invalid_order");
    EXPECT_EQ(code(put(usual, {}, std::string(129, 'o'))), "400 invalid_order");
    EXPECT_EQ(database.value("SELECT count(*) FROM orders"), "0");
}

TEST_F(ApiOrders, ADeclineIsA201AndAnotherKeyIsAnotherAttempt) {
    put(usual);
    const auto declined = pay("o1", "k1", R"({"payment_method":"pm_decline"})");
    EXPECT_EQ(declined.status, 201);
    EXPECT_EQ(member(declined, "state"), "declined");
    const auto paid = pay("o1", "k2");
    EXPECT_EQ(member(paid, "key"), "pay:o1:2");
    EXPECT_EQ(member(paid, "state"), "succeeded");
    const auto order = get("/v1/orders/o1");
    EXPECT_EQ(member(order, "state"), "paid");
    EXPECT_EQ(member(order, "payments/1/payment_id"), member(paid, "payment_id"));
    EXPECT_EQ(header(order, "ETag"), "\"1\"");
}

TEST_F(ApiOrders, APaymentIsSeenWithItsKeyAndReference) {
    const std::string id = paid("o1");
    const auto payment = get("/v1/payments/" + id);
    EXPECT_EQ(payment.status, 200);
    for (const auto& [name, value] : std::map<std::string, std::string>{{"state", "succeeded"},
                                                                        {"attempt", "1"},
                                                                        {"key", "pay:o1:1"},
                                                                        {"order_id", "o1"},
                                                                        {"captured", "5000"},
                                                                        {"currency", "USD"}}) {
        EXPECT_EQ(member(payment, name), value) << name;
    }
    EXPECT_EQ(header(payment, "Cache-Control"), "no-store");
    EXPECT_EQ(code(get("/v1/payments/pay_none")), "404 unknown_payment");
    EXPECT_EQ(code(get("/v1/orders/none")), "404 unknown_order");
}

TEST_F(ApiOrders, RefundsStayWithinTheCapture) {
    const std::string id = paid("o1");
    const auto part = refund(id, "r1", R"({"amount":3000})");
    EXPECT_EQ(part.status, 201) << part.body;
    EXPECT_EQ(member(part, "key"), "refund:o1:1");
    EXPECT_EQ(member(part, "state"), "succeeded");
    EXPECT_EQ(refund(id, "r1", R"({"amount":3000})").body, part.body);
    EXPECT_EQ(get(header(part, "Location")).body, part.body);
    EXPECT_EQ(code(refund(id, "r2", R"({"amount":2001})")), "409 refund_exceeds_captured");
    EXPECT_EQ(code(refund(id, "r2", "{}")), "409 refund_exceeds_captured") << "all of it";
    EXPECT_EQ(refund(id, "r2", R"({"amount":2000})").status, 201) << "a refusal is not stored";
    EXPECT_EQ(code(refund(id, "r3", R"({"amount":0})")), "400 invalid_refund");
    EXPECT_EQ(code(refund("pay_none", "r3", "{}")), "404 unknown_payment");
    EXPECT_EQ(code(get("/v1/refunds/none")), "404 unknown_refund");
}

TEST_F(ApiOrders, ManyRefundsAtOnceNeverExceedTheCapture) {
    const std::string id = paid("o1");
    std::vector<std::future<http::Reply>> replies;
    for (int i = 0; i < 40; ++i) {
        replies.push_back(send({"POST",
                                "/v1/payments/" + id + "/refunds",
                                R"({"amount":300})",
                                {{"Idempotency-Key", "r" + std::to_string(i)}}}));
    }
    std::map<int, int> statuses;
    for (auto& future : replies) ++statuses[future.get().status];
    EXPECT_EQ(statuses[201], 16) << "5000 / 300";
    EXPECT_EQ(statuses[409], 24);
    EXPECT_EQ(database.value("SELECT sum(amount)::text FROM refunds"), "4800");
}

TEST_F(ApiOrders, AKeyOfARefundIsKeptAsLongAsThePayment) {
    const std::string id = paid("o1");
    const auto first = refund(id, "r1", R"({"amount":3000})");
    clock.advance(std::chrono::days(3650));
    const auto later = refund(id, "r1", R"({"amount":3000})");
    EXPECT_EQ(later.body, first.body);
    EXPECT_EQ(header(later, "Idempotent-Replayed"), "true");
}

TEST_F(ApiOrders, UnpaidPaymentIsNotRefundable) {
    put(usual);
    const auto held = pay("o1", "k1", R"({"payment_method":"pm_held"})", "0");
    EXPECT_EQ(code(refund(member(held, "payment_id"), "r1", "{}")), "409 payment_not_refundable");
}

TEST_F(ApiOrders, AnAttemptIsGivenUpOnceAndAFinalOneIsNot) {
    put(usual);
    const auto held = pay("o1", "k1", R"({"payment_method":"pm_held"})", "0");
    const std::string id = member(held, "payment_id");
    const auto gone = cancel(id);
    EXPECT_EQ(gone.status, 200) << gone.body;
    EXPECT_EQ(member(gone, "state"), "canceled");
    EXPECT_EQ(cancel(id).status, 200) << "again";
    const auto paid = pay("o1", "k2");
    EXPECT_EQ(code(cancel(member(paid, "payment_id"))), "409 payment_final");
    EXPECT_EQ(code(cancel("pay_none")), "404 unknown_payment");
}

// The cancel came after the charge: its money goes back, and no answer denies that.
TEST_F(ApiOrders, CancelOfAnExecutedPaymentIsAcceptedUntilItsMoneyIsBack) {
    put(usual);
    const std::string id = member(pay("o1", "k1"), "payment_id");
    database.run("UPDATE payments SET cancel_requested = true");
    EXPECT_EQ(cancel(id).status, 202);
    database.run("UPDATE payments SET state = 'refunded', returned = captured");
    EXPECT_EQ(cancel(id).status, 200);
}

TEST_F(ApiOrders, BalancesAndTheJournalAreSeenPageByPage) {
    EXPECT_EQ(code(get("/v1/accounts/user%3A42")), "404 unknown_account");
    database.run("INSERT INTO balances (account, currency, amount) VALUES ('user:42', 'USD', 600)");
    database.run(
        "INSERT INTO transfers (effect_key, debit_account, credit_account, currency, amount,"
        " posted_at, provider, event_id) SELECT 'demo/capture/' || n, 'demo:clearing', 'user:42',"
        " 'USD', n * 100, now(), 'demo', 'e' || n FROM generate_series(1, 3) n");
    const auto balance = get("/v1/accounts/user%3A42");
    EXPECT_EQ(member(balance, "balances/0/amount"), "600");
    const auto page = get("/v1/accounts/user:42/transfers?limit=2");
    EXPECT_EQ(member(page, "items/0/amount"), "300");
    EXPECT_EQ(member(page, "items/1/amount"), "200");
    const auto rest = get("/v1/accounts/user:42/transfers?limit=2&cursor=" + member(page, "next"));
    EXPECT_EQ(member(rest, "items/0/amount"), "100");
    EXPECT_EQ(member(rest, "next"), "(null)");
    EXPECT_EQ(code(get("/v1/accounts/a/transfers?cursor=x")), "400 bad_cursor");
    EXPECT_EQ(code(get("/v1/accounts/a/transfers?limit=0")), "400 bad_limit");
}

TEST_F(ApiOrders, OnlyATokenForTheApiOpensIt) {
    EXPECT_EQ(ask({"GET", "/v1/idempotency", "", {}}, "unknown").status, 401);
    EXPECT_EQ(ask({"GET", "/v1/idempotency", "", {}}, "viewer").status, 403);
    EXPECT_EQ(member(get("/v1/idempotency"), "lifetime"), "30d");
}

}  // namespace
}  // namespace pawl::testing
