#include "tests/e2e/demo_sender.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "providers/provider.hpp"
#include "settings/well_known.hpp"

namespace pawl::testing {
namespace {

const SystemClock system_clock;

// As much of config/providers/demo.toml as signing needs.
providers::Provider signing_with(std::string_view secret) {
    providers::ProviderConfig config;
    config.name = "demo";
    config.preset = "standard-webhooks";
    config.secrets = {std::string(secret)};
    config.read.event_id = {{"/id"}};
    config.read.type = {{"/type"}};
    config.rules.emplace_back().when = "*";
    auto provider = providers::Provider::create(config);
    if (!provider) {
        ADD_FAILURE() << provider.error().message;
        std::abort();
    }
    return *provider;
}

}  // namespace

Time now() {
    return system_clock.now();
}

std::string body_of(const Payment& payment) {
    return fmt::format(R"({{"id":"{}","type":"{}","payment_id":"{}","account":"{}","amount":{},)"
                       R"("currency":"{}","sequence":{}}})",
                       payment.id, payment.type,
                       payment.payment.empty() ? "pay_" + payment.id : payment.payment,
                       payment.account, payment.amount, payment.currency, payment.sequence);
}

providers::Headers signed_headers(const std::string& id, const std::string& body, Time at,
                                  std::string_view secret) {
    static const providers::Provider demo = signing_with(app::demo_secret);
    const providers::Outgoing outgoing{id, body, at};
    const auto headers = secret.empty() ? demo.sign(outgoing) : signing_with(secret).sign(outgoing);
    if (headers) return *headers;
    ADD_FAILURE() << headers.error().message;
    return {};
}

Response DemoSender::send_bytes(const std::string& id, const std::string& body) {
    return post(signed_headers(id, body, now()), body);
}

bool DemoSender::begin(const Payment& payment) {
    const std::string body = body_of(payment);
    std::string bytes = "POST " + path_ + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                        std::to_string(body.size()) + "\r\n";
    for (const auto& [name, value] : signed_headers(payment.id, body, now())) {
        bytes += name + ": " + value + "\r\n";
    }
    return client_.send(bytes + "\r\n" + body);
}

}  // namespace pawl::testing
