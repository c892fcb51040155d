#include "controllers/v1/payments.hpp"

#include "payments/view.hpp"

namespace pawl::http {

HandlerResult get_payment(const Request& request, db::Session& session) {
    Reply reply = problem(404, "unknown_payment", "payment: not found; check its id (pay_...)");
    db::in_transaction(session, [&](db::Transaction& transaction) {
        const auto payment = payments::find_payment(transaction, request.param("payment"));
        if (!payment) return;
        const auto captures = payments::captures_of(transaction, *payment);
        reply = json_reply(payments::payment_json(*payment, captures));
    });
    return reply;
}

HandlerResult get_refund(const Request& request, db::Session& session) {
    Reply reply = problem(404, "unknown_refund", "refund: not found; check its id (ref_...)");
    db::in_transaction(session, [&](db::Transaction& transaction) {
        const auto refund = payments::find_refund(transaction, request.param("refund"));
        if (refund) reply = json_reply(payments::refund_json(*refund));
    });
    return reply;
}

}  // namespace pawl::http
