#include "controllers/v1/start_refund.hpp"

#include <fmt/core.h>

#include "base/rng.hpp"
#include "controllers/v1/body.hpp"
#include "controllers/v1/under_key.hpp"

namespace pawl::http {
namespace {

Reply refused(const payments::NotRefundable& why) {
    if (why.code == "payment_not_refundable") {
        return problem(409, why.code, "payment: not refundable; it has no captured amount");
    }
    return problem(409, why.code,
                   fmt::format("Together with the refunds that are there it would be more than was "
                               "captured; {} is left.",
                               why.left));
}

struct Wanted {
    std::string payment_id;
    payments::NewRefund refund;
    std::optional<std::int64_t> amount;  // nullopt: all of it; a retry then finds nothing left
};

// Allocates the refund and starts its run. Returns the refusal; nullopt if it was started.
std::optional<Reply> allocate(db::Transaction& transaction, Wanted wanted, const PaymentDeps& deps,
                              Time now) {
    const auto payment = payments::find_payment(transaction, wanted.payment_id);
    if (!payment)
        return problem(404, "unknown_payment", "payment: not found; check its id (pay_...)");
    wanted.refund.amount = wanted.amount.value_or(payment->captured);
    const auto made = payments::allocate_refund(transaction, *payment, wanted.refund, now);
    if (const auto* why = std::get_if<payments::NotRefundable>(&made)) return refused(*why);
    deps.start_refund(transaction, std::get<payments::Refund>(made), *payment);
    return std::nullopt;
}

}  // namespace

ApiHandler start_refund(const PaymentDeps& deps, const KeyPolicy& policy, const Clock& clock) {
    return [&deps, policy, &clock](const Request& request, db::Session& session) -> HandlerResult {
        SecureRng rng;
        const Time now = clock.now();
        payments::NewRefund refund;
        refund.id = payments::new_refund_id();
        refund.correlation_id = CorrelationId(uuid_v4(rng));
        auto known = keyed(request, refunds_route, refund.id, now, for_ever);
        if (auto* refusal = std::get_if<Reply>(&known)) return std::move(*refusal);
        const Wanted wanted{request.param("payment"), refund, Body(request.body).number("amount")};
        HandlerResult outcome =
            under_key(session, std::get<Keyed>(known), policy, now,
                      [&](db::Transaction& t) { return allocate(t, wanted, deps, now); });
        if (std::holds_alternative<AnswerLater>(outcome)) deps.wake();
        return outcome;
    };
}

}  // namespace pawl::http
