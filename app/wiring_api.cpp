#include "app/wiring_api.hpp"

#include "controllers/v1/table.hpp"
#include "workflows/capture/capture_payment.hpp"
#include "workflows/charge/charge_order.hpp"
#include "workflows/refund/refund_payment.hpp"

namespace pawl::app {
namespace {

// Enough for a burst of callers, which then wait a little; more are answered 503 and retry.
constexpr std::size_t queue_max = 1024;

http::PaymentDeps payment_deps(const workflows::Gateways& gateways, workflows::Engine& engine,
                               const Clock& clock) {
    http::PaymentDeps deps;
    deps.start_charge = [&clock](db::Transaction& transaction, const payments::Payment& payment) {
        workflows::start_charge(transaction, payment, clock.now());
    };
    deps.start_refund = [&clock](db::Transaction& transaction, const payments::Refund& refund,
                                 const payments::Payment& payment) {
        workflows::start_refund(transaction, refund, payment, clock.now());
    };
    deps.start_capture = [&clock](db::Transaction& transaction, const payments::Capture& capture,
                                  const payments::Payment& payment) {
        workflows::start_capture(transaction, capture, payment, clock.now());
    };
    deps.request_cancel = [&clock](db::Transaction& transaction, const payments::Payment& payment) {
        return workflows::request_cancel(transaction, payment, clock.now());
    };
    deps.wake = [&engine] { engine.wake(); };
    for (const auto& [name, gateway] : gateways) deps.gateways[name] = gateway->config().books;
    return deps;
}

http::KeyPolicy key_policy(const IdempotencySettings& settings) {
    return {settings.profile == IdempotencyProfile::stripe, settings.lifetime};
}

}  // namespace

http::Authenticate authenticate_with(access::TokenAuthenticator& authenticator) {
    return [&authenticator](std::string_view token) { return authenticator.identity_of(token); };
}

Api::Api(const Settings& settings, const db::SessionOptions& session,
         const workflows::Gateways& gateways, workflows::Engine& engine,
         const std::vector<access::StandingToken>& tokens, Timer& timer, const Clock& clock)
    : sessions_(db::named(session, "api"), static_cast<std::size_t>(settings.database.sessions)),
      blocking_("api", static_cast<std::size_t>(settings.database.sessions), queue_max),
      authenticator_(sessions_, tokens, clock),
      pending_(db::named(session, "api-waits"), clock),
      policy_(key_policy(settings.idempotency)),
      payments_(payment_deps(gateways, engine, clock)),
      timer_(timer),
      clock_(clock) {}

void Api::add_to(http::Routes& routes) {
    const http::V1Deps deps{sessions_, blocking_, authenticate_with(authenticator_),
                            pending_,  timer_,    clock_};
    http::add_v1(routes, deps, payments_, policy_, clock_);
}

void Api::stop() {
    blocking_.stop();
    pending_.stop();
}

}  // namespace pawl::app
