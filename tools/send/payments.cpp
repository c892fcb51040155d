#include "tools/send/payments.hpp"

#include <fmt/core.h>

#include <array>

#include "base/rng.hpp"

namespace pawl::app {
namespace {

constexpr std::int64_t minor_max = 50'000;
constexpr std::size_t ids_a_step = 8192;
constexpr std::int64_t calendar_begins = 1767225600;  // 2026-01-01T00:00:00Z

// A payload that config/providers/demo.toml reads.
std::string demo_words(const Payment& payment) {
    return fmt::format(R"({{"id":"{}","type":"payment.captured","payment_id":"{}","account":"{}",)"
                       R"("amount":{},"currency":"USD","sequence":{}}})",
                       payment.event_id, payment.payment_id, payment.account, payment.minor,
                       payment.sequence);
}

// A payload that config/providers/stripe.toml reads, with the fields that Stripe sends around it.
std::string stripe_words(const Payment& payment) {
    return fmt::format(
        R"({{"id":"{0}","object":"event","api_version":"2025-09-30.clover","created":{4},)"
        R"("type":"payment_intent.succeeded","livemode":false,"pending_webhooks":1,)"
        R"("request":{{"id":"req_{5}","idempotency_key":null}},)"
        R"("data":{{"object":{{"id":"{1}","object":"payment_intent","amount":{3},)"
        R"("amount_capturable":0,"amount_details":{{"tip":{{}}}},"amount_received":{3},)"
        R"("application":null,"application_fee_amount":null,"automatic_payment_methods":null,)"
        R"("canceled_at":null,"cancellation_reason":null,"capture_method":"automatic_async",)"
        R"("client_secret":"{1}_secret_{5}","confirmation_method":"automatic","created":{4},)"
        R"("currency":"usd","customer":null,"description":null,"last_payment_error":null,)"
        R"("latest_charge":"ch_{5}","livemode":false,"metadata":{{"account":"{2}"}},)"
        R"("next_action":null,"on_behalf_of":null,"payment_method":"pm_{5}",)"
        R"("payment_method_types":["card"],"processing":null,"receipt_email":null,)"
        R"("setup_future_usage":null,"shipping":null,"statement_descriptor":null,)"
        R"("status":"succeeded","transfer_data":null,"transfer_group":null}}}}}})",
        payment.event_id, payment.payment_id, payment.account, payment.minor, payment.created,
        payment.payment_id.substr(payment.payment_id.find('_') + 1));
}

struct Known {
    std::string_view preset;
    std::string (*wording)(const Payment&);
};
constexpr std::array<Known, 2> known{{{"standard-webhooks", demo_words}, {"stripe", stripe_words}}};

}  // namespace

std::string account_name(const PaymentOptions& options, std::size_t index) {
    return fmt::format("user:{}-{}", options.seed, index + 1);
}

Payment make_payment(const PaymentOptions& options, std::size_t number) {
    // A generator of its own for each payment, so that any can be made without those before it. The
    // factor keeps the streams of neighbouring seeds apart.
    SeededRng rng(options.seed * 0xd1342543de82ef95U + number);
    // The form of providers' ids: first the time, in steps, then random digits within a step. The
    // number at the end makes them unique in a seed.
    const std::string id =
        fmt::format("{:05x}{:016x}{:x}", number / ids_a_step, rng.next(), number);
    Payment payment;
    payment.event_id = "evt_" + id;
    payment.payment_id = "pi_" + id;
    payment.account = account_name(options, number % options.accounts);
    payment.minor = static_cast<std::int64_t>(rng.below(minor_max)) + 1;
    payment.sequence = static_cast<std::int64_t>(number / options.accounts) + 1;
    payment.created = calendar_begins + static_cast<std::int64_t>(number);
    return payment;
}

Result<Wording> wording_for(const providers::ProviderConfig& provider) {
    std::string names;
    for (const Known& one : known) {
        if (one.preset == provider.preset) return Wording(one.wording);
        names += (names.empty() ? "" : ", ") + std::string(one.preset);
    }
    return invalid(fmt::format(
        "no test deliveries are known for provider \"{}\" (scheme {}); they are for: {}",
        provider.name, provider.preset.empty() ? "of its own" : provider.preset, names));
}

}  // namespace pawl::app
