#include "controllers/v1/start_payment.hpp"

#include <fmt/core.h>

#include "base/rng.hpp"
#include "controllers/v1/body.hpp"
#include "controllers/v1/orders.hpp"
#include "controllers/v1/under_key.hpp"
#include "payments/answers.hpp"

namespace pawl::http {
namespace {

Reply in_the_way(const payments::Payment& payment) {
    const bool paid = payments::is_captured(payment.state) && payments::is_closed(payment);
    Reply reply = paid ? problem(409, "order_paid", "The order has been paid.")
                       : problem(409, "payment_in_progress",
                                 "Another payment of the order has not come to its end.");
    reply.headers.emplace_back("Location", payments::location_of(payment));
    return reply;
}

// Allocates the payment and starts its run. Returns the refusal; nullopt if it was started.
std::optional<Reply> allocate(db::Transaction& transaction, const std::string& order_id,
                              payments::NewPayment wanted, const PaymentDeps& deps, Time now) {
    const auto order = payments::find_order(transaction, order_id, payments::Lock::row);
    if (!order) return unknown_order(order_id);
    if (order->gateway.empty()) {
        return problem(409, "order_without_gateway", "The order is paid elsewhere.");
    }
    const auto gateway = deps.gateways.find(order->gateway);
    if (gateway == deps.gateways.end()) {
        return problem(409, "unknown_gateway", "The order's gateway is no longer configured.");
    }
    wanted.books = gateway->second;
    const auto made = payments::allocate(transaction, *order, wanted, now);
    if (const auto* other = std::get_if<payments::InTheWay>(&made)) {
        return in_the_way(other->payment);
    }
    if (const auto* more = std::get_if<payments::MoreThanDue>(&made)) {
        return problem(409, "amount_exceeds_due",
                       fmt::format("The order has {} due; ask for at most that.", more->due));
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
        const Body body(request.body);
        wanted.payment_method = body.text("payment_method").value_or("");
        wanted.customer = body.text("customer").value_or("");
        wanted.return_url = body.text("return_url").value_or("");
        wanted.off_session = body.is_true("off_session");
        wanted.manual_capture = body.text("capture") == "manual";
        wanted.amount = body.number("amount");

        HandlerResult outcome =
            under_key(session, std::get<Keyed>(known), policy, now, [&](db::Transaction& t) {
                return allocate(t, request.param("order"), wanted, deps, now);
            });
        if (std::holds_alternative<AnswerLater>(outcome)) deps.wake();
        return outcome;
    };
}

}  // namespace pawl::http
