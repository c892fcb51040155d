#include "controllers/v1/cancel_payment.hpp"

#include "controllers/v1/preconditions.hpp"
#include "payments/answers.hpp"
#include "payments/view.hpp"

namespace pawl::http {
namespace {

// Captured in part before the cancel, which has released the rest.
bool is_released(const payments::Payment& payment) {
    return payment.manual_capture && payment.cancel_requested && payments::is_closed(payment) &&
           payment.captured > 0 && payment.captured < payment.amount.minor;
}

// Executed before its cancel, which was accepted: all of it goes back.
bool goes_back(const payments::Payment& payment) {
    return payment.cancel_requested && payments::is_captured(payment.state);
}

}  // namespace

Reply cancel_reply(const payments::Payment& payment) {
    const bool refunded = goes_back(payment) && payment.state == payments::State::refunded;
    const bool canceled =
        payment.state == payments::State::canceled || is_released(payment) || refunded;
    Reply reply = payments::is_closed(payment) && !canceled && !goes_back(payment)
                      ? problem(409, "payment_final",
                                "The payment is " + std::string(to_text(payment.state)) +
                                    " and cannot be canceled any more.")
                      : json_reply(payments::payment_json(payment), canceled ? 200 : 202);
    reply.headers.emplace_back("Location", payments::location_of(payment));
    return reply;
}

ApiHandler cancel_payment(const PaymentDeps& deps, const Clock& clock) {
    return [&deps, &clock](const Request& request, db::Session& session) -> HandlerResult {
        const Time now = clock.now();
        const std::string& id = request.param("payment");
        HandlerResult outcome;
        db::in_transaction(session, [&](db::Transaction& transaction) {
            // Without its lock, which a worker may hold: request_cancel takes it in order.
            const auto payment = payments::find_payment(transaction, id);
            if (!payment) {
                outcome =
                    problem(404, "unknown_payment", "payment: not found; check its id (pay_...)");
                return;
            }
            outcome = cancel_reply(*payment);
            if (payments::is_closed(*payment)) return;
            // Money in another currency has moved: there is nothing to give up.
            if (payment->captured > 0 && payment->capturable == 0) return;
            if (!deps.request_cancel(transaction, *payment)) {
                outcome = problem(409, "capture_in_progress",
                                  "A capture of the payment has not ended: cancel it after that.");
                return;
            }
            outcome = CancelLater{id, now + wait_of(request)};
        });
        if (std::holds_alternative<CancelLater>(outcome)) deps.wake();
        return outcome;
    };
}

}  // namespace pawl::http
