#include "workflows/standing.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "payments/sums.hpp"
#include "workflows/announcements.hpp"

namespace pawl::workflows {
namespace {

using payments::Payment;
using payments::Refund;
using payments::Sums;

// More than the order's amount, together with its other attempts; or money beside another attempt
// that is not closed, which one payment of an order at most may be.
bool is_overpaid(db::Transaction& transaction, const Payment& payment, const Sums& sums) {
    const auto order = payments::find_order(transaction, payment.order_id);
    std::int64_t captured = payment.captured;
    bool beside = false;
    for (const Payment& other : payments::payments_of(transaction, payment.order_id)) {
        if (other.id == payment.id || other.overpaid) continue;
        captured += other.captured;
        beside = beside || !payments::is_closed(other);
    }
    if (payment.captured > 0 && captured > order->amount.minor) return true;
    const bool to_review = payment.state == payments::State::needs_review;
    return beside && (sums.foreign.captured > 0 || to_review);
}

void raise_alarm(const Payment& payment) {
    log::error("order overpaid", {{"order", payment.order_id},
                                  {"payment", payment.id},
                                  {"key", payment.key},
                                  {"correlation_id", payment.correlation_id.str()}});
}

}  // namespace

void keep(db::Transaction& transaction, const Payment& before, const Payment& after, Time now) {
    payments::save(transaction, before, after, now);
    if (before.state != after.state) announce(transaction, after, now);
}

void keep(db::Transaction& transaction, const Refund& before, const Refund& after,
          const AccountId& account, Time now) {
    payments::save(transaction, before, after, now);
    if (before.state != after.state) announce(transaction, after, account, now);
}

void keep(db::Transaction& transaction, const payments::Capture& before,
          const payments::Capture& after, const Payment& payment, Time now) {
    payments::save(transaction, before, after, now);
    if (before.state != after.state) announce(transaction, after, payment, now);
}

Payment bring_to_sums(db::Transaction& transaction, const Payment& before, Payment after,
                      Time now) {
    Sums sums = payments::sum_up(after, payments::read_movements(transaction, after));
    sums.disputed = payments::is_disputed(transaction, after);
    payments::derive(after, sums);
    after.overpaid = is_overpaid(transaction, after, sums);
    if (after.overpaid && !before.overpaid) raise_alarm(after);
    keep(transaction, before, after, now);
    for (const Refund& refund : payments::refunds_of(transaction, after.id)) {
        Refund derived = refund;
        payments::derive(derived, after, sums);
        keep(transaction, refund, derived, after.account, now);
    }
    return after;
}

std::optional<std::string> take_reference(db::Transaction& transaction, Payment& payment,
                                          const std::string& reference) {
    if (reference.empty() || reference == payment.reference) return std::nullopt;
    if (auto holder = payments::holder_of(transaction, payment, reference)) return holder;
    payment.reference = reference;
    return std::nullopt;
}

}  // namespace pawl::workflows
