#include "controllers/v1/cancel_payment.hpp"

#include "controllers/v1/preconditions.hpp"
#include "payments/answers.hpp"
#include "payments/view.hpp"

namespace pawl::http {

Reply cancel_reply(const payments::Payment& payment) {
    const bool canceled = payment.state == payments::State::canceled;
    Reply reply = payments::is_final(payment.state) && !canceled
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
                outcome = problem(404, "unknown_payment", "There is no payment of this id.");
                return;
            }
            outcome = cancel_reply(*payment);
            if (payments::is_final(payment->state)) return;
            // Money in another currency has moved: there is nothing to give up.
            if (payment->captured > 0) return;
            deps.request_cancel(transaction, *payment);
            outcome = CancelLater{id, now + wait_of(request)};
        });
        if (std::holds_alternative<CancelLater>(outcome)) deps.wake();
        return outcome;
    };
}

}  // namespace pawl::http
