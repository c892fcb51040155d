#include "tests/matrix/sandbox_case.hpp"

#include <chrono>
#include <stdexcept>

#include "settings/settings.hpp"

namespace pawl::workflows {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

constexpr const char* secret = "whsec_unit_secret";
constexpr std::int64_t whole = 5000;

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

SandboxCase::SandboxCase(sandbox::Options options)
    : sandbox_(std::move(options)), client_(sandbox_.client()), provider_(shipped_rules()) {
    auto config = driver_of(sandbox_.sandbox.url());
    config.books = provider_.config().books;
    gateways.emplace("sandbox", outbound::make_gateway(config).value());
    add_gateway("test");  // and an engine that knows both
}

payments::Payment SandboxCase::start(const std::string& order, const std::string& payment_method,
                                     bool manual_capture) {
    payments::Payment begun;
    db::in_transaction(session, [&](db::Transaction& transaction) {
        payments::Order wanted;
        wanted.id = order;
        wanted.amount = {whole, Currency::parse("USD").value()};
        wanted.account = AccountId("user:" + order);
        wanted.gateway = "sandbox";
        payments::put_order(transaction, wanted, std::nullopt, clock.now());
        const auto stored = payments::find_order(transaction, order, payments::Lock::row);
        payments::NewPayment attempt;
        attempt.id = "pay_" + order;
        attempt.payment_method = payment_method;
        attempt.books = provider_.config().books;
        attempt.correlation_id = CorrelationId("c");
        attempt.manual_capture = manual_capture;
        auto allocated = payments::allocate(transaction, *stored, attempt, clock.now());
        begun = std::get<payments::Payment>(allocated);
        start_charge(transaction, begun, clock.now());
    });
    return begun;
}

void SandboxCase::deliver(const std::string& event_id, const std::string& body) {
    const auto at = SystemClock().now();
    providers::Delivery delivery;
    delivery.body = body;
    delivery.headers = provider_.sign({event_id, body, at}).value();
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

std::int64_t SandboxCase::moved_there(const char* what) const {
    const std::string text = client_.count(std::string("/amounts/usd/") + what);
    return text.empty() || text == "missing" ? 0 : std::stoll(text);
}

std::int64_t SandboxCase::on_account(const std::string& order) {
    return std::stoll(value("SELECT coalesce(sum(amount), 0) FROM balances WHERE account = 'user:" +
                            order + "' AND currency = 'USD'"));
}

}  // namespace pawl::workflows
