#include "tests/matrix/matrix_case.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "base/keys.hpp"
#include "intents/operator/transfer_acts.hpp"
#include "intents/queries/attention.hpp"
#include "settings/settings.hpp"

namespace pawl::workflows {
namespace {

using payments::State;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;

constexpr const char* secret = "whsec_unit_secret";
constexpr const char* no_charge = "pm_timeout_before:1000";
constexpr std::int64_t whole = 5000;
constexpr std::int64_t part = 3000;
constexpr std::int64_t refunded_part = 2000;
constexpr std::int64_t fee = 1500;

// The rules that are shipped, with this sandbox's secret.
providers::Provider shipped_rules() {
    app::LoadOptions options;
    options.folder = PAWL_SOURCE_DIR "/config";
    options.dev = true;
    options.variables = [](const std::string& variable) -> std::optional<std::string> {
        if (variable == "PAWL_SANDBOX_SECRET") return secret;
        return std::nullopt;
    };
    for (const app::ProviderFile& file : app::load(options).settings.providers) {
        if (file.config.name == "sandbox") return providers::Provider::create(file.config).value();
    }
    throw std::runtime_error("sandbox.toml is not shipped");
}

outbound::GatewayConfig driver_of(const std::string& url) {
    outbound::GatewayConfig config;
    config.name = "sandbox";
    config.captures = CaptureShape::total;
    config.base_url = url;
    config.api_key = "sk_test_unit";
    config.not_found_final_after = hours(1);
    config.timeout = milliseconds(250);
    config.allow_private = true;
    return config;
}

}  // namespace

MatrixCase::MatrixCase(bool settles_soon)
    : client_(sandbox_.client()), provider_(shipped_rules()), settles_soon_(settles_soon) {
    auto config = driver_of(sandbox_.sandbox.url());
    config.books = provider_.config().books;
    gateways.emplace("sandbox", outbound::make_gateway(config).value());
    add_gateway("test");  // and an engine that knows both
}

void MatrixCase::start(const std::string& payment_method) {
    db::in_transaction(session, [&](db::Transaction& transaction) {
        payments::Order wanted;
        wanted.id = "o1";
        wanted.amount = {whole, Currency::parse("USD").value()};
        wanted.account = AccountId("user:1");
        wanted.gateway = "sandbox";
        payments::put_order(transaction, wanted, std::nullopt, clock.now());
        const auto order = payments::find_order(transaction, "o1", payments::Lock::row);
        auto allocated = payments::allocate(
            transaction, *order,
            {"pay_1", payment_method, provider_.config().books, CorrelationId("c")}, clock.now());
        begun_ = std::get<payments::Payment>(allocated);
        start_charge(transaction, begun_, clock.now());
    });
}

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
    start(method == methods.end() ? "" : method->second);
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
        R"("amount_received":{},"currency":"{}","metadata":{{"account":"user:1","key":"{}"}}}})",
        id.empty() ? reference() : id, whole, received, currency, begun_.key);
}

void MatrixCase::hear(const std::string& type, const std::string& object) {
    const auto at = SystemClock().now();
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count();
    providers::Outgoing outgoing;
    outgoing.event_id = fmt::format("evt_{}", ++events_);
    outgoing.body = fmt::format(R"({{"id":"{}","type":"{}","created":{},"data":{{"object":{}}}}})",
                                outgoing.event_id, type, seconds + events_, object);
    outgoing.at = at;
    providers::Delivery delivery;
    delivery.body = outgoing.body;
    delivery.headers = provider_.sign(outgoing).value();
    delivery.received_at = at;
    auto received = provider_.receive(delivery);
    ASSERT_EQ(received.diagnosis, "ok") << received.detail;
    intents::Submission submission;
    submission.provider = ProviderName("sandbox");
    submission.books = provider_.config().books;
    submission.delivery = delivery;
    submission.correlation_id = CorrelationId("c");
    submission.events = std::move(received.events);
    testing::commit(session, {submission});
}

std::int64_t MatrixCase::moved_there(const char* what) const {
    const std::string text = client_.count(std::string("/amounts/usd/") + what);
    return text.empty() || text == "missing" ? 0 : std::stoll(text);
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
    ending.account =
        std::stoll(value("SELECT coalesce(sum(amount), 0) FROM balances WHERE account = 'user:1' "
                         "AND currency = 'USD'"));
    ending.event = refused_;
    for (int i = heard_before_ + 1; i <= events_; ++i) {
        ending.event +=
            (ending.event.empty() ? "" : ", ") +
            value(fmt::format("SELECT CASE outcome WHEN 'quarantined' THEN note ELSE outcome "
                              "END FROM webhook_intents WHERE event_id = 'evt_{}'",
                              i));
    }
    const intents::AttentionFilter all{clock.now(), {{"sandbox", "test"}, {}}, {}, 100};
    for (const auto& item : intents::list_attention(session, all)) {
        ending.attention += (ending.attention.empty() ? "" : ", ") + item.kind;
    }
    for (const auto& invariant : intents::verify(session)) {
        if (!invariant.for_attention || invariant.breaches.empty()) continue;
        ending.attention += (ending.attention.empty() ? "" : ", ") + ("verify: " + invariant.name);
    }
    ending.held = moved_there("charged") - moved_there("refunded") + told_;
    return ending;
}

}  // namespace pawl::workflows
