#include "tests/matrix/matrix_case.hpp"

#include <fmt/core.h>

#include <chrono>
#include <map>

#include "intents/queries/attention.hpp"

namespace pawl::workflows {
namespace {

using payments::State;
using std::chrono::minutes;

constexpr const char* no_charge = "pm_timeout_before:1000";
constexpr std::int64_t whole = 5000;
constexpr std::int64_t refunded_part = 2000;

}  // namespace

MatrixCase::MatrixCase(bool settles_soon) : settles_soon_(settles_soon) {}

void MatrixCase::reach(State state) {
    const std::map<State, std::string> methods = {
        {State::unknown, no_charge},
        {State::requires_action, "pm_requires_action"},
        {State::processing, settles_soon_ ? "pm_processing:400" : "pm_processing:600000"},
        {State::declined, "pm_card_declined"},
        {State::failed, no_charge},
        {State::canceled, "pm_requires_action"},
        {State::needs_review, no_charge}};
    const auto method = methods.find(state);
    begun_ = start("o1", method == methods.end() ? "" : method->second, state == State::authorized);
    if (state == State::created || state == State::calling) return;
    rounds();
    switch (state) {
        case State::partially_refunded:
        case State::refunded: {
            const std::int64_t amount = state == State::refunded ? whole : refunded_part;
            const auto refund = std::get<payments::Refund>(begin_refund(current(), amount));
            rounds();
            refund_id_ = this->refund(refund.id).reference;
            break;
        }
        case State::disputed:
            dispute("needs_response");
            break;
        case State::failed:
            EXPECT_TRUE(resolve_call(begun_.key, "failed", "", true).ok());
            break;
        case State::canceled:
            cancel();
            break;
        case State::needs_review:
            // The operator's reference is not known there.
            EXPECT_TRUE(resolve_call(begun_.key, "succeeded", "pi_unknown").ok());
            break;
        default:
            break;
    }
    rounds();
    heard_before_ = events_;
    EXPECT_EQ(current().state, state) << "the case does not reach its state";
}

std::string MatrixCase::reference() {
    const std::string known = current().reference;
    if (!known.empty()) return known;
    const std::string found =
        client_
            .get("/v1/payment_intents/search?query=metadata%5B%27key%27%5D%3A%27" + begun_.key +
                 "%27")
            .at("/data/0/id");
    return found.starts_with("pi_") ? found : "pi_elsewhere";
}

std::string MatrixCase::intent(std::int64_t received, const std::string& currency,
                               const std::string& id) {
    return fmt::format(
        R"({{"id":"{}","object":"payment_intent","status":"succeeded","amount":{},)"
        R"("amount_received":{},"currency":"{}","metadata":{{"account":"user:o1","key":"{}"}}}})",
        id.empty() ? reference() : id, whole, received, currency, begun_.key);
}

void MatrixCase::hear(const std::string& type, const std::string& object) {
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(SystemClock().now().time_since_epoch())
            .count();
    const std::string id = fmt::format("evt_{}", ++events_);
    deliver(id, fmt::format(R"({{"id":"{}","type":"{}","created":{},"data":{{"object":{}}}}})", id,
                            type, seconds + events_, object));
}

Ending MatrixCase::end() {
    rounds();
    for (int i = 0; i < 8; ++i) rounds(minutes(30));
    const auto now = current();
    Ending ending;
    ending.payment = payments::to_text(now.state);
    ending.captured = now.captured;
    ending.returned = now.returned;
    ending.order = value("SELECT state FROM orders WHERE order_id = 'o1'");
    ending.account = on_account("o1");
    ending.event = refused_;
    for (int i = heard_before_ + 1; i <= events_; ++i) {
        ending.event +=
            (ending.event.empty() ? "" : ", ") +
            value(fmt::format("SELECT CASE outcome WHEN 'quarantined' THEN note ELSE outcome "
                              "END FROM webhook_intents WHERE event_id = 'evt_{}'",
                              i));
    }
    const intents::AttentionFilter all{clock.now(), {{"sandbox", "test"}, {}}, {}, "", 100};
    const auto page = intents::list_attention(session, all).value();
    for (const auto& item : page.items) {
        ending.attention += (ending.attention.empty() ? "" : ", ") + item.kind;
    }
    for (const auto& invariant : intents::verify(session)) {
        if (invariant.breaches.empty()) continue;
        ending.attention += (ending.attention.empty() ? "" : ", ") + ("verify: " + invariant.name);
    }
    ending.held = moved_there("charged") - moved_there("refunded") + told_;
    return ending;
}

}  // namespace pawl::workflows
