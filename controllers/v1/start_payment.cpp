#include "controllers/v1/start_payment.hpp"

#include "base/rng.hpp"
#include "controllers/v1/body.hpp"
#include "controllers/v1/under_key.hpp"
#include "payments/answers.hpp"

namespace pawl::http {
namespace {

constexpr std::size_t payment_method_bytes_max = 255;

Reply in_the_way(const payments::Payment& payment) {
    const bool paid =
        payments::is_settled(payment.state) && payment.state != payments::State::needs_review;
    Reply reply = paid ? problem(409, "order_paid", "The order has been paid.")
                       : problem(409, "payment_in_progress",
                                 "Another payment of the order has not come to its end.");
    reply.headers.emplace_back("Location", payments::location_of(payment));
    return reply;
}

// Allocated and started, or the reason why not.
std::optional<Reply> allocate(db::Transaction& transaction, const std::string& order_id,
                              payments::NewPayment wanted, const PaymentDeps& deps, Time now) {
    const auto order = payments::find_order(transaction, order_id, payments::Lock::row);
    if (!order) return problem(404, "unknown_order", "There is no order of this name.");
    const auto gateway = deps.gateways.find(order->gateway);
    if (gateway == deps.gateways.end()) {
        return problem(409, "unknown_gateway", "The order's gateway is no longer configured.");
    }
    wanted.books = gateway->second;
    const auto made = payments::allocate(transaction, *order, wanted, now);
    if (const auto* other = std::get_if<payments::InTheWay>(&made)) {
        return in_the_way(other->payment);
    }
    deps.start_charge(transaction, std::get<payments::Payment>(made));
    return std::nullopt;
}

}  // namespace

ApiHandler start_payment(const PaymentDeps& deps, const KeyPolicy& policy, const Clock& clock) {
    return [&deps, policy, &clock](const Request& request, db::Session& session) -> HandlerResult {
        SecureRng rng;
        const Time now = clock.now();
        payments::NewPayment wanted;
        wanted.id = payments::new_payment_id();
        wanted.correlation_id = CorrelationId(uuid_v4(rng));
        auto known = keyed(request, payments_route, wanted.id, now, now + policy.lifetime);
        if (auto* refusal = std::get_if<Reply>(&known)) return std::move(*refusal);
        const auto body = Body::parse(or_empty_object(request.body));
        if (!body) return problem(400, "invalid_payment", body.error().message);
        const auto method = body->text("payment_method", payment_method_bytes_max);
        if (!method) return problem(400, "invalid_payment", method.error().message);
        wanted.payment_method = method->value_or("");

        HandlerResult outcome =
            under_key(session, std::get<Keyed>(known), policy, now, [&](db::Transaction& t) {
                return allocate(t, request.param("order"), wanted, deps, now);
            });
        if (std::holds_alternative<AnswerLater>(outcome)) deps.wake();
        return outcome;
    };
}

}  // namespace pawl::http
