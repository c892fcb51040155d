// The arrivals: answers and webhooks of the payment API, requests of the merchant, and acts of an
// operator.
#include <fmt/core.h>

#include <chrono>
#include <thread>

#include "base/keys.hpp"
#include "intents/operator/transfer_acts.hpp"
#include "tests/matrix/matrix_case.hpp"
#include "workflows/capture/capture_payment.hpp"

namespace pawl::workflows {
namespace {

using payments::State;
using std::chrono::milliseconds;

constexpr std::int64_t whole = 5000;
constexpr std::int64_t less = 3000;
constexpr std::int64_t refunded = 2000;
constexpr std::int64_t dispute_fee = 1500;

}  // namespace

struct Arrival {
    std::string_view name;
    void (*happens)(MatrixCase&);

    static const std::vector<Arrival>& all();
};

const std::vector<Arrival>& Arrival::all() {
    static const std::vector<Arrival> known = {
        {"four hours pass", [](MatrixCase&) {}},
        {"eight days pass", [](MatrixCase& one) { one.days_pass(8); }},
        {"answer: succeeded", [](MatrixCase& one) { one.settle_there(); }},
        {"answer: declined", [](MatrixCase& one) { one.answer_declined(); }},
        {"webhook: succeeded",
         [](MatrixCase& one) {
             one.settle_there();
             one.hear("payment_intent.succeeded", one.intent(whole));
             if (!one.charged_there()) one.told_ += whole;
         }},
        {"webhook: succeeded with 3000 of 5000",
         [](MatrixCase& one) {
             one.hear("payment_intent.succeeded", one.intent(less));
             if (!one.charged_there()) one.told_ += less;
         }},
        {"webhook: succeeded, another charge under its key",
         [](MatrixCase& one) {
             one.hear("payment_intent.succeeded", one.intent(whole, "usd", "pi_other"));
             one.told_ += whole;
         }},
        {"webhook: succeeded in EUR",
         [](MatrixCase& one) { one.hear("payment_intent.succeeded", one.intent(whole, "eur")); }},
        {"webhook: declined",
         [](MatrixCase& one) { one.hear("payment_intent.payment_failed", one.intent(0)); }},
        {"webhook: canceled",
         [](MatrixCase& one) { one.hear("payment_intent.canceled", one.intent(0)); }},
        {"cancel by the merchant", [](MatrixCase& one) { one.cancel(); }},
        {"capture of 3000 by the merchant", [](MatrixCase& one) { one.capture_here(); }},
        {"refund of 2000 by the merchant", [](MatrixCase& one) { one.refund_here(); }},
        {"refund of 2000 at the provider", [](MatrixCase& one) { one.refund_there(); }},
        {"refund bounces", [](MatrixCase& one) { one.bounce(); }},
        {"dispute opened", [](MatrixCase& one) { one.dispute("needs_response"); }},
        {"dispute opened, then won",
         [](MatrixCase& one) {
             one.dispute("needs_response");
             one.dispute("won");
         }},
        {"late return: dispute lost",
         [](MatrixCase& one) {
             one.dispute("needs_response");
             one.dispute("lost");
         }},
        {"operator: resolve, succeeded", [](MatrixCase& one) { one.resolve(); }},
        {"operator: reverse the capture", [](MatrixCase& one) { one.reverse(); }},
    };
    return known;
}

const std::vector<std::string_view>& arrivals() {
    static const std::vector<std::string_view> names = [] {
        std::vector<std::string_view> all;
        for (const Arrival& one : Arrival::all()) all.push_back(one.name);
        return all;
    }();
    return names;
}

void MatrixCase::arrive(State state, std::string_view what) {
    for (const Arrival& one : Arrival::all()) {
        if (one.name != what) continue;
        if (state != State::calling) {
            one.happens(*this);
            return;
        }
        client_.post("/sandbox/faults", R"({"faults":["latency=100:150"]})");
        std::thread sends([this] { engine->run_once(); });
        while (current().state == State::created) std::this_thread::sleep_for(milliseconds(1));
        std::this_thread::sleep_for(milliseconds(30));
        EXPECT_EQ(current().state, State::calling);
        one.happens(*this);
        sends.join();
        client_.post("/sandbox/faults", R"({"faults":["latency=0"]})");
    }
}

// The payer fails to authenticate; any other call is answered with a decline.
void MatrixCase::answer_declined() {
    if (current().state == State::requires_action) {
        client_.post("/v1/payment_intents/" + reference() + "/confirm", "", {"", "decline"});
    }
    client_.post("/sandbox/faults", R"({"faults":["decline=100"]})");
}

// A payment that waits for the payer or for the bank succeeds at the payment API.
void MatrixCase::settle_there() {
    if (current().state == State::requires_action) {
        client_.post("/v1/payment_intents/" + reference() + "/confirm", "");
    }
    if (current().state == State::authorized) {
        client_.post("/v1/payment_intents/" + reference() + "/capture", "");
    }
    for (int i = 0; settles_soon_ && !charged_there() && i < 3000; ++i) {
        if (current().state != State::processing) break;
        std::this_thread::sleep_for(milliseconds(1));
    }
}

// As `POST /v1/payments/{payment}/cancel` does.
void MatrixCase::cancel() {
    if (payments::is_final(current().state)) {
        refused_ = "409";
        return;
    }
    db::in_transaction(session, [&](db::Transaction& transaction) {
        request_cancel(transaction, begun_, clock.now());
    });
}

void MatrixCase::capture_here() {
    db::in_transaction(session, [&](db::Transaction& transaction) {
        const auto payment =
            payments::find_payment(transaction, begun_.id, payments::Lock::row).value();
        const auto allocated = payments::allocate_capture(
            transaction, payment, {"cap_1", less, true, CorrelationId("c")}, clock.now());
        const auto* refused = std::get_if<payments::NotCapturable>(&allocated);
        if (refused != nullptr) {
            refused_ = "409 " + refused->code;
        } else {
            start_capture(transaction, std::get<payments::Capture>(allocated), payment,
                          clock.now());
        }
    });
}

void MatrixCase::days_pass(int days) {
    for (int i = 0; i < days; ++i) {
        client_.post("/sandbox/clock", R"({"advance":"24h"})");
        rounds(std::chrono::hours(24));
    }
}

void MatrixCase::refund_here() {
    const auto begun = begin_refund(current(), refunded);
    const auto* not_refundable = std::get_if<payments::NotRefundable>(&begun);
    if (not_refundable != nullptr) refused_ = "409 " + not_refundable->code;
}

void MatrixCase::refund_there() {
    const auto answer = client_.post(
        "/v1/refunds", fmt::format("payment_intent={}&amount={}", reference(), refunded));
    const std::string id = answer.status == 200 ? answer.at("/id") : "re_elsewhere";
    hear("refund.created",
         fmt::format(R"({{"id":"{}","object":"refund","payment_intent":"{}","amount":{},)"
                     R"("currency":"usd","status":"succeeded"}})",
                     id, reference(), refunded));
}

void MatrixCase::bounce() {
    const bool known = !refund_id_.empty();
    const std::int64_t amount = known ? current().returned : refunded;
    if (known) told_ += amount;
    hear("refund.failed",
         fmt::format(R"({{"id":"{}","object":"refund","payment_intent":"{}","amount":{},)"
                     R"("currency":"usd","status":"failed"}})",
                     known ? refund_id_ : "re_elsewhere", reference(), amount));
}

// The events of a dispute as Stripe sends them: one for its money, one for its status.
void MatrixCase::dispute(std::string_view status) {
    const std::int64_t captured = current().captured > 0 ? current().captured : whole;
    const bool opened = status == "needs_response";
    const std::string taken = fmt::format(
        R"({{"id":"txn_1","amount":-{},"fee":{},"currency":"usd"}})", captured, dispute_fee);
    const std::string returned = fmt::format(
        R"({{"id":"txn_2","amount":{},"fee":-{},"currency":"usd"}})", captured, dispute_fee);
    const std::string movements = status == "won" ? taken + "," + returned : taken;
    const std::string object = fmt::format(
        R"({{"id":"dp_1","object":"dispute","payment_intent":"{}","status":"{}","amount":{},)"
        R"("currency":"usd","balance_transactions":[{}]}})",
        reference(), status, captured, movements);
    if (opened) {
        hear("charge.dispute.created", object);
        hear("charge.dispute.funds_withdrawn", object);
    } else {
        if (status == "won") hear("charge.dispute.funds_reinstated", object);
        hear("charge.dispute.closed", object);
    }
    if (current().captured == 0) return;  // there is nothing to dispute
    if (opened && !withdrawn_) told_ -= captured;
    withdrawn_ = opened;
    if (status == "won") told_ += captured;
}

// The operator has looked it up, and names what the payment API has.
void MatrixCase::resolve() {
    const auto done = resolve_call(begun_.key, "succeeded", reference());
    if (!done) refused_ = "409";
}

void MatrixCase::reverse() {
    const std::string id =
        value("SELECT min(id)::text FROM transfers WHERE effect_key LIKE '%/capture/%'");
    if (id.empty()) {
        refused_ = "404";
        return;
    }
    const auto result = intents::apply_transfer_act(
        session, intents::ReverseTransfer{std::stoll(id)}, {"ana", "posted wrongly"}, clock.now());
    const auto* refused = std::get_if<intents::TransferActRefused>(&result);
    if (refused != nullptr) refused_ = "409 " + refused->code;
}

}  // namespace pawl::workflows
