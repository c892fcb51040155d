// The meaning of each answer, on a first send and in doubt. The bodies are Stripe's, shortened.
#include "outbound/gateways/stripe_answers.hpp"

#include <gtest/gtest.h>

namespace pawl::outbound::stripe {
namespace {

std::string intent(const std::string& status, const std::string& more = "") {
    return R"({"id":"pi_1","object":"payment_intent","amount":5000,"currency":"usd","status":")" +
           status + R"(","metadata":{"key":"pay:o1:1","order":"o1"})" + more + "}";
}

std::string error(const std::string& type, const std::string& more = "") {
    return R"({"error":{"type":")" + type + R"(","message":"No.")" + more + "}}";
}

HttpReply reply(int status, std::string body, Headers headers = {}) {
    return {status, std::move(headers), std::move(body)};
}

const std::string succeeded = intent("succeeded", R"(,"amount_received":5000)");
const std::string declined =
    error("card_error", R"(,"code":"card_declined","decline_code":"insufficient_funds")"
                        R"(,"payment_intent":{"id":"pi_1"})");
const Headers replayed = {{"Idempotent-Replayed", "true"}};

struct Case {
    const char* name;
    HttpResult outcome;
    GatewayOutcome first;
    GatewayOutcome in_doubt;
    bool may_retry = true;  // on the first send
};

const Case charge_cases[] = {
    {"succeeded", reply(200, succeeded), GatewayOutcome::succeeded, GatewayOutcome::succeeded},
    {"succeeded, replayed", reply(200, succeeded, replayed), GatewayOutcome::succeeded,
     GatewayOutcome::succeeded},
    {"processing", reply(200, intent("processing")), GatewayOutcome::processing,
     GatewayOutcome::processing},
    {"payer must act", reply(200, intent("requires_action")), GatewayOutcome::requires_action,
     GatewayOutcome::requires_action},
    {"canceled", reply(200, intent("canceled")), GatewayOutcome::canceled,
     GatewayOutcome::canceled},
    {"only authorised", reply(200, intent("requires_capture")), GatewayOutcome::unknown,
     GatewayOutcome::unknown},
    {"a status from the future", reply(200, intent("levitating")), GatewayOutcome::unknown,
     GatewayOutcome::unknown},
    {"declined", reply(402, declined), GatewayOutcome::declined, GatewayOutcome::declined},
    {"declined, replayed", reply(402, declined, replayed), GatewayOutcome::declined,
     GatewayOutcome::declined},
    {"402 of another kind", reply(402, error("api_error")), GatewayOutcome::unknown,
     GatewayOutcome::unknown},
    {"402 from a proxy", reply(402, "pay your proxy"), GatewayOutcome::unknown,
     GatewayOutcome::unknown},
    {"bad request", reply(400, error("invalid_request_error")), GatewayOutcome::refused,
     GatewayOutcome::unknown, false},
    {"bad request, and Stripe says again",
     reply(400, error("invalid_request_error"), {{"Stripe-Should-Retry", "true"}}),
     GatewayOutcome::refused, GatewayOutcome::unknown, true},
    {"bad request, replayed", reply(400, error("invalid_request_error"), replayed),
     GatewayOutcome::unknown, GatewayOutcome::unknown},
    {"key used with another body", reply(400, error("idempotency_error")), GatewayOutcome::unknown,
     GatewayOutcome::unknown},
    {"wrong api key", reply(401, error("invalid_request_error")), GatewayOutcome::refused,
     GatewayOutcome::unknown},
    {"no permission", reply(403, error("invalid_request_error")), GatewayOutcome::refused,
     GatewayOutcome::unknown},
    {"no such thing", reply(404, error("invalid_request_error")), GatewayOutcome::refused,
     GatewayOutcome::unknown, false},
    {"key in use", reply(409, error("idempotency_error")), GatewayOutcome::unknown,
     GatewayOutcome::unknown},
    {"conflict", reply(409, error("invalid_request_error")), GatewayOutcome::unknown,
     GatewayOutcome::unknown},
    {"too many requests", reply(429, error("invalid_request_error")), GatewayOutcome::refused,
     GatewayOutcome::unknown},
    {"too many requests, do not", reply(429, "", {{"Stripe-Should-Retry", "false"}}),
     GatewayOutcome::refused, GatewayOutcome::unknown, false},
    {"server error", reply(500, error("api_error")), GatewayOutcome::unknown,
     GatewayOutcome::unknown},
    {"server error that is stored",
     reply(500, error("api_error"), {{"Stripe-Should-Retry", "false"}}), GatewayOutcome::unknown,
     GatewayOutcome::unknown, false},
    {"bad gateway", reply(502, "<html>"), GatewayOutcome::unknown, GatewayOutcome::unknown},
    {"unavailable", reply(503, ""), GatewayOutcome::unknown, GatewayOutcome::unknown},
    {"redirect", reply(307, "", {{"Location", "/x"}}), GatewayOutcome::unknown,
     GatewayOutcome::unknown},
    {"no content", reply(204, ""), GatewayOutcome::unknown, GatewayOutcome::unknown},
    {"200 that is not JSON", reply(200, "<html>"), GatewayOutcome::unknown,
     GatewayOutcome::unknown},
    {"200 without an id", reply(200, R"({"status":"succeeded"})"), GatewayOutcome::unknown,
     GatewayOutcome::unknown},
    {"200 with a key twice", reply(200, R"({"id":"pi_1","status":"succeeded","status":"x"})"),
     GatewayOutcome::unknown, GatewayOutcome::unknown},
    {"time-out", HttpFailure{"timed out"}, GatewayOutcome::unknown, GatewayOutcome::unknown},
    {"never connected", HttpFailure{"refused", true}, GatewayOutcome::unknown,
     GatewayOutcome::unknown},
};

TEST(StripeAnswers, EachAnswerToAChargeIsClassified) {
    for (const Case& one : charge_cases) {
        const GatewayResult first = read_charge(one.outcome, false);
        EXPECT_EQ(first.ending, one.first) << one.name;
        EXPECT_EQ(first.may_retry, one.may_retry) << one.name;
        EXPECT_FALSE(first.note.empty()) << one.name;
        EXPECT_EQ(read_charge(one.outcome, true).ending, one.in_doubt) << one.name;
    }
}

TEST(StripeAnswers, ASuccessSaysWhatMovedAndWhere) {
    const GatewayResult answer = read_charge(reply(200, succeeded), false);
    EXPECT_EQ(answer.reference, "pi_1");
    EXPECT_EQ(answer.status, 200);
    ASSERT_TRUE(answer.moved);
    EXPECT_EQ(*answer.moved, (Money{5000, *Currency::parse("USD")}));
    EXPECT_EQ(answer.body, succeeded);
}

TEST(StripeAnswers, AmountsAreReadAsStripeCountsThem) {
    const auto moved = [](const char* currency, const char* amount) {
        const std::string body = R"({"id":"pi_1","status":"succeeded","amount_received":)" +
                                 std::string(amount) + R"(,"currency":")" + currency + "\"}";
        return read_charge(reply(200, body), false).moved;
    };
    EXPECT_EQ(moved("isk", "1000")->minor, 10);
    EXPECT_EQ(moved("mga", "10")->minor, 1000);
    EXPECT_EQ(moved("jpy", "10")->minor, 10);
    EXPECT_FALSE(moved("isk", "1001"));
    EXPECT_FALSE(moved("usd", "10.5"));
    EXPECT_FALSE(moved("xyz", "10"));
}

TEST(StripeAnswers, ADeclineSaysWhyAndWhichPayment) {
    const GatewayResult answer = read_charge(reply(402, declined), false);
    EXPECT_EQ(answer.reference, "pi_1");
    EXPECT_NE(answer.note.find("insufficient_funds"), std::string::npos);
}

TEST(StripeAnswers, NextActionIsPassedOnUnchanged) {
    const std::string body =
        intent("requires_action", R"(,"next_action":{"type":"use_stripe_sdk", "x":1.10})");
    EXPECT_EQ(read_charge(reply(200, body), false).next_action,
              R"({"type":"use_stripe_sdk", "x":1.10})");
}

TEST(StripeAnswers, RetryAfterIsReadWhereItIsSeconds) {
    const auto waits = [](const char* value) {
        return read_charge(reply(429, "", {{"retry-after", value}}), false).retry_after;
    };
    EXPECT_EQ(waits("2"), std::chrono::seconds(2));
    EXPECT_FALSE(waits("-2"));
    EXPECT_FALSE(waits("2s"));
    EXPECT_FALSE(waits("99999999999999999999"));
    EXPECT_FALSE(waits("Wed, 21 Oct 2026 07:28:00 GMT"));
}

std::string refund(const std::string& status, const std::string& key = "refund:o1:1") {
    return R"({"id":"re_1","object":"refund","amount":700,"currency":"usd","status":")" + status +
           R"(","payment_intent":"pi_1","metadata":{"key":")" + key + R"("}})";
}

TEST(StripeAnswers, EachAnswerToARefundIsClassified) {
    const Case cases[] = {
        {"succeeded", reply(200, refund("succeeded")), GatewayOutcome::succeeded,
         GatewayOutcome::succeeded},
        {"pending", reply(200, refund("pending")), GatewayOutcome::processing,
         GatewayOutcome::processing},
        {"failed", reply(200, refund("failed")), GatewayOutcome::failed, GatewayOutcome::failed},
        {"canceled", reply(200, refund("canceled")), GatewayOutcome::canceled,
         GatewayOutcome::canceled},
        {"refunded already",
         reply(400, error("invalid_request_error", R"(,"code":"charge_already_refunded")")),
         GatewayOutcome::refused, GatewayOutcome::unknown, false},
        {"key in use", reply(409, error("idempotency_error")), GatewayOutcome::unknown,
         GatewayOutcome::unknown},
        {"server error", reply(500, ""), GatewayOutcome::unknown, GatewayOutcome::unknown},
        {"reset", HttpFailure{"reset"}, GatewayOutcome::unknown, GatewayOutcome::unknown},
    };
    for (const Case& one : cases) {
        EXPECT_EQ(read_refund(one.outcome, false).ending, one.first) << one.name;
        EXPECT_EQ(read_refund(one.outcome, true).ending, one.in_doubt) << one.name;
    }
    EXPECT_EQ(read_refund(cases[0].outcome, false).moved->minor, 700);
}

TEST(StripeAnswers, ACancelThatComesTooLateLearnsHowThePaymentEnded) {
    const auto late = [](const std::string& body) {
        return read_cancel(reply(
            400, error("invalid_request_error",
                       R"(,"code":"payment_intent_unexpected_state","payment_intent":)" + body)));
    };
    EXPECT_EQ(read_cancel(reply(200, intent("canceled"))).ending, GatewayOutcome::canceled);
    EXPECT_EQ(late(succeeded).ending, GatewayOutcome::succeeded);
    EXPECT_EQ(late(succeeded).moved->minor, 5000);
    EXPECT_EQ(late(intent("canceled")).ending, GatewayOutcome::canceled);
    EXPECT_EQ(late(intent("processing")).ending, GatewayOutcome::refused);
    EXPECT_EQ(read_cancel(reply(503, "")).ending, GatewayOutcome::unknown);
    EXPECT_EQ(read_cancel(HttpFailure{"reset"}).ending, GatewayOutcome::unknown);
}

std::string list(const std::string& objects, const char* more = "false") {
    return R"({"object":"list","data":[)" + objects + R"(],"has_more":)" + more + "}";
}

TEST(StripeAnswers, ALookupFindsWhatCarriesOurKeyAndNothingElse) {
    const std::string other = R"({"id":"pi_2","status":"succeeded","metadata":{"key":"pay:o2:1"}})";
    const std::string missing = error("invalid_request_error", R"(,"code":"resource_missing")");
    const struct {
        const char* name;
        HttpResult outcome;
        GatewayOutcome ending;
    } cases[] = {
        {"by id", reply(200, succeeded), GatewayOutcome::succeeded},
        {"by id, of another payment", reply(200, other), GatewayOutcome::unknown},
        {"searched", reply(200, list(succeeded)), GatewayOutcome::succeeded},
        {"among others", reply(200, list(other + "," + succeeded)), GatewayOutcome::succeeded},
        {"only others", reply(200, list(other)), GatewayOutcome::not_found},
        {"only others, and more to come", reply(200, list(other, "true")), GatewayOutcome::unknown},
        {"nothing", reply(200, list("")), GatewayOutcome::not_found},
        {"twice", reply(200, list(succeeded + "," + succeeded)), GatewayOutcome::unknown},
        {"missing", reply(404, missing), GatewayOutcome::not_found},
        {"404 of a proxy", reply(404, "nope"), GatewayOutcome::unknown},
        {"declined",
         reply(200,
               intent("requires_payment_method", R"(,"last_payment_error":{"type":"card_error"})")),
         GatewayOutcome::declined},
        {"never confirmed", reply(200, intent("requires_payment_method")), GatewayOutcome::unknown},
        {"wrong api key", reply(401, missing), GatewayOutcome::unknown},
        {"too many requests", reply(429, ""), GatewayOutcome::unknown},
        {"server error", reply(500, ""), GatewayOutcome::unknown},
        {"time-out", HttpFailure{"timed out"}, GatewayOutcome::unknown},
    };
    for (const auto& one : cases) {
        EXPECT_EQ(read_found_charge(one.outcome, "pay:o1:1").ending, one.ending) << one.name;
    }
}

TEST(StripeAnswers, ARefundIsFoundInTheListOfItsPayment) {
    const std::string both = list(refund("failed", "refund:o1:2") + "," + refund("succeeded"));
    EXPECT_EQ(read_found_refund(reply(200, both), "refund:o1:1").ending, GatewayOutcome::succeeded);
    EXPECT_EQ(read_found_refund(reply(200, both), "refund:o1:2").ending, GatewayOutcome::failed);
    EXPECT_EQ(read_found_refund(reply(200, both), "refund:o1:3").ending, GatewayOutcome::not_found);
}

}  // namespace
}  // namespace pawl::outbound::stripe
