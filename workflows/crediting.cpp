#include "workflows/crediting.hpp"

#include "base/keys.hpp"
#include "payments/captures.hpp"
#include "workflows/call/calls.hpp"

namespace pawl::workflows {

std::optional<Review> credit(db::Transaction& transaction, const payments::Payment& payment,
                             const Money& moved, const WorkflowDeps& parts, Time now) {
    const CaptureShape shape = parts.captures_of(payment.gateway);
    if (shape == CaptureShape::ids) return Review{"its books report each capture under an id"};
    const EffectKey root = root_of_payment(payment.books, payment.reference);
    ledger::Movement capture{ledger::Kind::credit, payment.account, moved, root};
    if (shape == CaptureShape::total) capture.amount_is = ledger::AmountIs::total;
    const ledger::Entry entry{payment.books, {capture}, {}, ledger::ByPayment{payment.id}};
    return review_of(parts.post(transaction, entry, payment.correlation_id, now), "credit");
}

void take_capturable(payments::Payment& payment, const Money& moved,
                     const std::optional<std::int64_t>& capturable) {
    if (payments::ended_without_capture(payment.state)) {
        payment.capturable = 0;  // an authorization that comes late is voided
    } else if (moved.minor >= payment.captured) {
        payment.capturable = capturable.value_or(0);
    }
}

void confirm_captures(db::Transaction& transaction, const payments::Payment& payment) {
    for (const payments::Capture& one : payments::captures_of(transaction, payment)) {
        confirm(transaction, one.key);
    }
}

}  // namespace pawl::workflows
