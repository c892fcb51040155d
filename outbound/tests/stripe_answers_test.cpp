// The meaning of each answer, on a first send and in doubt. The bodies are Stripe's, shortened.
#include "outbound/gateways/stripe_answers.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"

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
const std::string charge_key = "pay:o1:1";
const std::string refund_key = "refund:o1:1";
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
    {"authorized", reply(200, intent("requires_capture")), GatewayOutcome::authorized,
     GatewayOutcome::authorized},
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
     GatewayOutcome::unknown, GatewayOutcome::unknown, false},
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
    {"timeout", HttpFailure{"timed out"}, GatewayOutcome::unknown, GatewayOutcome::unknown},
    {"never connected", HttpFailure{"refused", true}, GatewayOutcome::unknown,
     GatewayOutcome::unknown},
};

TEST(StripeAnswers, EachAnswerToAChargeIsClassified) {
    for (const Case& one : charge_cases) {
        const GatewayResult first = read_charge(one.outcome, charge_key, false);
        EXPECT_EQ(first.ending, one.first) << one.name;
        EXPECT_EQ(first.may_retry, one.may_retry) << one.name;
        EXPECT_FALSE(first.note.empty()) << one.name;
        EXPECT_EQ(read_charge(one.outcome, charge_key, true).ending, one.in_doubt) << one.name;
    }
}

TEST(StripeAnswers, ASuccessSaysWhatMovedAndWhere) {
    const GatewayResult answer = read_charge(reply(200, succeeded), charge_key, false);
    EXPECT_EQ(answer.reference, "pi_1");
    EXPECT_EQ(answer.status, 200);
    ASSERT_TRUE(answer.moved);
    EXPECT_EQ(*answer.moved, (Money{5000, *Currency::parse("USD")}));
    EXPECT_EQ(answer.body, succeeded);
}

TEST(StripeAnswers, AmountsAreReadAsStripeCountsThem) {
    const auto moved = [](const char* currency, const char* amount) {
        const std::string body = R"({"id":"pi_1","status":"succeeded","amount_received":)" +
                                 std::string(amount) + R"(,"currency":")" + currency +
                                 R"(","metadata":{"key":"pay:o1:1"}})";
        return read_charge(reply(200, body), charge_key, false).moved;
    };
    EXPECT_EQ(moved("isk", "1000")->minor, 10);
    EXPECT_EQ(moved("mga", "10")->minor, 1000);
    EXPECT_EQ(moved("jpy", "10")->minor, 10);
    EXPECT_FALSE(moved("isk", "1001"));
    EXPECT_FALSE(moved("usd", "10.5"));
    EXPECT_FALSE(moved("xyz", "10"));
}

TEST(StripeAnswers, ADeclineSaysWhyAndWhichPayment) {
    const GatewayResult answer = read_charge(reply(402, declined), charge_key, false);
    EXPECT_EQ(answer.reference, "pi_1");
    EXPECT_NE(answer.note.find("insufficient_funds"), std::string::npos);
}

TEST(StripeAnswers, PayersActionHasItsUrlAndSecret) {
    const std::string body = intent(
        "requires_action", R"(,"client_secret":"pi_1_secret_x","next_action":{)"
                           R"("type":"redirect_to_url","redirect_to_url":{"url":"https://b/3"}})");
    const auto action = read_charge(reply(200, body), charge_key, false).action;
    ASSERT_TRUE(action);
    EXPECT_EQ(action->type, "redirect_to_url");
    EXPECT_EQ(action->redirect_url, "https://b/3");
    EXPECT_EQ(action->client_secret, "pi_1_secret_x");
}

TEST(StripeAnswers, RetryAfterIsReadWhereItIsSeconds) {
    const auto waits = [](const char* value) {
        return read_charge(reply(429, "", {{"retry-after", value}}), charge_key, false).retry_after;
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
        EXPECT_EQ(read_refund(one.outcome, refund_key, false).ending, one.first) << one.name;
        EXPECT_EQ(read_refund(one.outcome, refund_key, true).ending, one.in_doubt) << one.name;
    }
    EXPECT_EQ(read_refund(cases[0].outcome, refund_key, false).moved->minor, 700);
}

TEST(StripeAnswers, ACancelThatComesTooLateLearnsHowThePaymentEnded) {
    const auto late = [](const std::string& body) {
        return read_cancel(
            reply(400,
                  error("invalid_request_error",
                        R"(,"code":"payment_intent_unexpected_state","payment_intent":)" + body)),
            charge_key);
    };
    EXPECT_EQ(read_cancel(reply(200, intent("canceled")), charge_key).ending,
              GatewayOutcome::canceled);
    EXPECT_EQ(late(succeeded).ending, GatewayOutcome::succeeded);
    EXPECT_EQ(late(succeeded).moved->minor, 5000);
    EXPECT_EQ(late(intent("canceled")).ending, GatewayOutcome::canceled);
    EXPECT_EQ(late(intent("processing")).ending, GatewayOutcome::refused);
    EXPECT_EQ(read_cancel(reply(503, ""), charge_key).ending, GatewayOutcome::unknown);
    EXPECT_EQ(read_cancel(HttpFailure{"reset"}, charge_key).ending, GatewayOutcome::unknown);
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
        {"by id, of another payment", reply(200, other), GatewayOutcome::foreign},
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
        {"never confirmed", reply(200, intent("requires_payment_method")),
         GatewayOutcome::declined},
        {"wrong api key", reply(401, missing), GatewayOutcome::unknown},
        {"too many requests", reply(429, ""), GatewayOutcome::unknown},
        {"server error", reply(500, ""), GatewayOutcome::unknown},
        {"timeout", HttpFailure{"timed out"}, GatewayOutcome::unknown},
    };
    for (const auto& one : cases) {
        EXPECT_EQ(read_found_charge(one.outcome, "pay:o1:1").ending, one.ending) << one.name;
    }
}

TEST(StripeAnswers, AListShowsTheObjectsOfOtherKeysToo) {
    const std::string second =
        R"({"id":"pi_2","status":"canceled","metadata":{"key":"pay:o1:2","order":"o1"}})";
    const std::string strange = R"({"id":"pi_3","status":"succeeded","metadata":{"order":"o1"}})";
    const auto found =
        read_found_charge(reply(200, list(second + "," + succeeded + "," + strange)), charge_key);
    EXPECT_EQ(found.ending, GatewayOutcome::succeeded);
    ASSERT_EQ(found.others.size(), 2U);
    EXPECT_EQ(found.others[0].key, "pay:o1:2");
    EXPECT_EQ(found.others[0].reference, "pi_2");
    EXPECT_EQ(found.others[0].ending, GatewayOutcome::canceled);
    EXPECT_EQ(found.others[1].key, "");
    EXPECT_EQ(found.others[1].ending, GatewayOutcome::succeeded);
}

TEST(StripeAnswers, ARefundIsFoundInTheListOfItsPayment) {
    const std::string both = list(refund("failed", "refund:o1:2") + "," + refund("succeeded"));
    EXPECT_EQ(read_found_refund(reply(200, both), "refund:o1:1").ending, GatewayOutcome::succeeded);
    EXPECT_EQ(read_found_refund(reply(200, both), "refund:o1:2").ending, GatewayOutcome::failed);
    EXPECT_EQ(read_found_refund(reply(200, both), "refund:o1:3").ending, GatewayOutcome::not_found);
}

const CaptureKeys capture_keys{charge_key, "capture:o1:1:1"};

// An intent after a capture under `key`; empty: none was executed.
std::string captured(const std::string& status, const std::string& key, int received,
                     int capturable = 0) {
    const std::string own = key.empty() ? "" : R"(,"capture":")" + key + '"';
    return R"({"id":"pi_1","currency":"usd","status":")" + status + R"(","amount_received":)" +
           std::to_string(received) + R"(,"amount_capturable":)" + std::to_string(capturable) +
           R"(,"metadata":{"key":"pay:o1:1")" + own + "}}";
}

std::string unexpected(const std::string& intent) {
    return error("invalid_request_error",
                 R"(,"code":"payment_intent_unexpected_state","payment_intent":)" + intent);
}

const std::string ours = capture_keys.capture;

const Case capture_cases[] = {
    {"captured", reply(200, captured("succeeded", ours, 5000)), GatewayOutcome::succeeded,
     GatewayOutcome::succeeded},
    {"captured in part", reply(200, captured("requires_capture", ours, 3000, 2000)),
     GatewayOutcome::succeeded, GatewayOutcome::succeeded},
    {"under way", reply(200, captured("processing", ours, 0)), GatewayOutcome::processing,
     GatewayOutcome::processing},
    {"of another payment", reply(200, R"({"id":"pi_2","metadata":{"key":"pay:o2:1"}})"),
     GatewayOutcome::foreign, GatewayOutcome::foreign},
    {"captured before by this call", reply(400, unexpected(captured("succeeded", ours, 5000))),
     GatewayOutcome::succeeded, GatewayOutcome::succeeded},
    {"captured by another request", reply(400, unexpected(captured("succeeded", "", 5000))),
     GatewayOutcome::failed, GatewayOutcome::failed},
    {"expired", reply(400, unexpected(captured("canceled", "", 0))), GatewayOutcome::canceled,
     GatewayOutcome::canceled},
    {"more than is left",
     reply(400, error("invalid_request_error", R"(,"code":"amount_too_large")")),
     GatewayOutcome::refused, GatewayOutcome::unknown, false},
    {"declined", reply(402, declined), GatewayOutcome::declined, GatewayOutcome::declined},
    {"server error", reply(500, error("api_error")), GatewayOutcome::unknown,
     GatewayOutcome::unknown},
    {"timeout", HttpFailure{"timed out"}, GatewayOutcome::unknown, GatewayOutcome::unknown},
};

TEST(StripeAnswers, EachAnswerToACaptureOnAFirstSendAndInDoubt) {
    for (const Case& one : capture_cases) {
        const GatewayResult first = read_capture(one.outcome, capture_keys, false);
        EXPECT_EQ(first.ending, one.first) << one.name;
        EXPECT_EQ(read_capture(one.outcome, capture_keys, true).ending, one.in_doubt) << one.name;
        EXPECT_FALSE(first.open_there) << one.name << ": a capture is never canceled";
        if (first.ending == GatewayOutcome::refused) {
            EXPECT_EQ(first.may_retry, one.may_retry) << one.name;
        }
    }
}

TEST(StripeAnswers, CaptureIsFoundByItsOwnKeyAndByNoAmount) {
    const struct {
        const char* name;
        HttpResult outcome;
        GatewayOutcome ending;
    } cases[] = {
        {"executed", reply(200, captured("succeeded", ours, 5000)), GatewayOutcome::succeeded},
        {"executed, more is left", reply(200, captured("requires_capture", ours, 3000, 2000)),
         GatewayOutcome::succeeded},
        {"executed, and the rest released", reply(200, captured("canceled", ours, 3000)),
         GatewayOutcome::succeeded},
        {"not executed", reply(200, captured("requires_capture", "", 0, 5000)),
         GatewayOutcome::not_found},
        {"an earlier one was",
         reply(200, captured("requires_capture", "capture:o1:1:0", 3000, 2000)),
         GatewayOutcome::not_found},
        {"captured elsewhere", reply(200, captured("succeeded", "", 5000)), GatewayOutcome::failed},
        {"expired", reply(200, captured("canceled", "", 0)), GatewayOutcome::canceled},
        {"another payment", reply(200, R"({"id":"pi_2","metadata":{"key":"pay:o2:1"}})"),
         GatewayOutcome::foreign},
        {"server error", reply(500, ""), GatewayOutcome::unknown},
        {"timeout", HttpFailure{"timed out"}, GatewayOutcome::unknown},
    };
    for (const auto& one : cases) {
        EXPECT_EQ(read_found_capture(one.outcome, capture_keys).ending, one.ending) << one.name;
    }
}

TEST(StripeAnswers, AuthorizationSaysHowMuchIsLeftAndUntilWhen) {
    const GatewayResult answer = read_charge(
        reply(200, intent("requires_capture",
                          R"(,"amount_received":0,"amount_capturable":5000,"latest_charge":)"
                          R"({"payment_method_details":{"card":{"capture_before":1700000000}}})")),
        charge_key, false);
    EXPECT_EQ(answer.capturable->minor, 5000);
    EXPECT_FALSE(answer.moved) << "nothing was captured";
    EXPECT_EQ(answer.capture_before, Time(std::chrono::seconds(1700000000)));
    const GatewayResult partly =
        read_found_charge(reply(200, captured("requires_capture", ours, 3000, 2000)), charge_key);
    EXPECT_EQ(partly.ending, GatewayOutcome::authorized);
    EXPECT_EQ(partly.moved->minor, 3000);
    EXPECT_EQ(partly.capturable->minor, 2000);
    const GatewayResult voided =
        read_found_charge(reply(200, captured("canceled", ours, 3000)), charge_key);
    EXPECT_EQ(voided.ending, GatewayOutcome::succeeded) << "what was captured stays so";
    EXPECT_EQ(voided.moved->minor, 3000);
}

// A message is cut between its characters, and holds nothing that PostgreSQL refuses.
TEST(StripeAnswers, NoteIsStorableTextWhateverTheMessageHolds) {
    const auto note = [](const std::string& message) {
        return read_charge(
                   reply(402, R"({"error":{"type":"card_error","message":")" + message + R"("}})"),
                   charge_key, false)
            .note;
    };
    for (std::size_t before = 250; before < 300; ++before) {
        const std::string text = note(std::string(before, 'x') + "\u20ac\u20ac\u20ac\u20ac");
        EXPECT_TRUE(json::is_utf8(text)) << before;
    }
    EXPECT_EQ(note(R"(a\u0000b)").find('\0'), std::string::npos);
}

// Unless the payer holds its secret, such an intent can still succeed there: it is to be canceled.
TEST(StripeAnswers, DeclineIsOpenThereUntilItIsCanceled) {
    const std::string waiting =
        intent("requires_payment_method",
               R"(,"last_payment_error":{"type":"card_error","code":"authentication_failed"})");
    for (const GatewayResult& answer : {read_charge(reply(200, waiting), charge_key, false),
                                        read_found_charge(reply(200, waiting), charge_key),
                                        read_charge(reply(402, declined), charge_key, false)}) {
        EXPECT_EQ(answer.ending, GatewayOutcome::declined);
        EXPECT_TRUE(answer.open_there);
        EXPECT_EQ(answer.reference, "pi_1");
    }
    EXPECT_FALSE(read_charge(reply(402, error("card_error")), charge_key, false).open_there)
        << "there is nothing to cancel";
}

TEST(StripeAnswers, ObjectThatCarriesAnotherKeyIsForeign) {
    const std::string other = R"({"id":"pi_9","status":"succeeded","amount_received":5000,)"
                              R"("currency":"usd","metadata":{"key":"pay:o2:1"}})";
    const std::string none =
        R"({"id":"pi_9","status":"succeeded","amount_received":5000,"currency":"usd"})";
    for (const std::string& body : {other, none}) {
        for (const GatewayResult& answer : {read_charge(reply(200, body), charge_key, false),
                                            read_charge(reply(200, body), charge_key, true),
                                            read_found_charge(reply(200, body), charge_key)}) {
            EXPECT_EQ(answer.ending, GatewayOutcome::foreign);
            EXPECT_EQ(answer.reference, "");
            EXPECT_FALSE(answer.moved);
        }
    }
    EXPECT_EQ(read_refund(reply(200, refund("succeeded", "refund:o2:1")), refund_key, false).ending,
              GatewayOutcome::foreign);
}

TEST(StripeAnswers, ReplayedAnswerThatIsNotFinalEndsTheResending) {
    EXPECT_FALSE(read_charge(reply(500, error("api_error"), replayed), charge_key, true).may_retry);
    EXPECT_TRUE(read_charge(reply(200, succeeded, replayed), charge_key, true).replayed);
    EXPECT_FALSE(read_charge(reply(200, succeeded), charge_key, true).replayed);
}

}  // namespace
}  // namespace pawl::outbound::stripe
