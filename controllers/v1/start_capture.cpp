#include "controllers/v1/start_capture.hpp"

#include <fmt/core.h>

#include "base/rng.hpp"
#include "controllers/v1/body.hpp"
#include "controllers/v1/under_key.hpp"
#include "payments/answers.hpp"

namespace pawl::http {
namespace {

std::string detail_of(const payments::NotCapturable& why) {
    if (why.code == "cancel_accepted") return "A cancel of the payment was accepted before.";
    if (why.code == "capture_in_progress") {
        return "Another capture of the payment has not come to its end.";
    }
    if (why.code == "payment_not_capturable") {
        return "Only an authorized payment can be captured; make it with \"capture\": \"manual\".";
    }
    return fmt::format("It is more than what is left to capture: {}.", why.left);
}

// Allocates the capture and starts its run. Returns the refusal; nullopt if it was started.
std::optional<Reply> allocate(db::Transaction& transaction, const std::string& payment_id,
                              const payments::NewCapture& wanted, const PaymentDeps& deps,
                              Time now) {
    const auto payment = payments::find_payment(transaction, payment_id);
    if (!payment) return problem(404, "unknown_payment", "There is no payment of this id.");
    const auto made = payments::allocate_capture(transaction, *payment, wanted, now);
    if (const auto* why = std::get_if<payments::NotCapturable>(&made)) {
        Reply refused = problem(409, why->code, detail_of(*why));
        refused.headers.emplace_back("Location", payments::location_of(*payment));
        return refused;
    }
    deps.start_capture(transaction, std::get<payments::Capture>(made), *payment);
    return std::nullopt;
}

}  // namespace

ApiHandler start_capture(const PaymentDeps& deps, const KeyPolicy& policy, const Clock& clock) {
    return [&deps, policy, &clock](const Request& request, db::Session& session) -> HandlerResult {
        SecureRng rng;
        const Time now = clock.now();
        const Body body(request.body);
        const payments::NewCapture wanted{payments::new_capture_id(), body.number("amount"),
                                          body.text("final") != "false",
                                          CorrelationId(uuid_v4(rng))};
        auto known = keyed(request, capture_route, wanted.id, now, for_ever);
        if (auto* refusal = std::get_if<Reply>(&known)) return std::move(*refusal);
        HandlerResult outcome = under_key(
            session, std::get<Keyed>(known), policy, now, [&](db::Transaction& transaction) {
                return allocate(transaction, request.param("payment"), wanted, deps, now);
            });
        if (std::holds_alternative<AnswerLater>(outcome)) deps.wake();
        return outcome;
    };
}

}  // namespace pawl::http
