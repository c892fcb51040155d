#include "payments/sums.hpp"

#include <algorithm>

#include "base/keys.hpp"
#include "payments/sql.hpp"

namespace pawl::payments {
namespace {

EffectKey key_of(const Payment& payment, const char* kind, const std::string& id) {
    return make_effect_key(payment.books, kind, {id});
}

// "<books>/<kind>/" of these books, or nothing in its place.
std::string_view rest_of(const EffectKey& key, const EffectKey& prefix) {
    const std::string_view text = key.str();
    return text.starts_with(prefix.str()) ? text.substr(prefix.str().size()) : std::string_view();
}

State state_of(const Sums::Sum& sum, bool disputed) {
    if (disputed) return State::disputed;
    if (sum.returned >= sum.captured) return State::refunded;
    return sum.returned > 0 ? State::partially_refunded : State::succeeded;
}

}  // namespace

std::vector<RootMovement> read_movements(db::Transaction& transaction, const Payment& payment) {
    std::vector<RootMovement> movements;
    if (payment.reference.empty()) return movements;
    const EffectKey root = key_of(payment, "capture", payment.reference);
    for (const auto row : transaction.run(sql::RootMovements{.payment_key = root.str()})) {
        movements.push_back({EffectKey(std::string(row.effect_key())),
                             Money{row.moved(), Currency::parse(row.currency()).value()}});
    }
    return movements;
}

bool is_disputed(db::Transaction& transaction, const Payment& payment) {
    if (payment.reference.empty()) return false;
    const EffectKey root = key_of(payment, "capture", payment.reference);
    return transaction.run(sql::OpenDisputes{.payment_key = root.str()}).only().disputed();
}

Sums sum_up(const Payment& payment, const std::vector<RootMovement>& movements) {
    const EffectKey capture = key_of(payment, "capture", "");
    const EffectKey refund = key_of(payment, "refund", "");
    const EffectKey bounce = key_of(payment, "refund_failed", "");
    const EffectKey fee = key_of(payment, "fee", "");
    Sums sums;
    for (const auto& [key, moved] : movements) {
        if (!rest_of(key, fee).empty()) continue;  // of the merchant's own account of fees
        const bool own = moved.currency == payment.amount.currency;
        Sums::Sum& sum = own ? sums.own : sums.foreign;
        if (!rest_of(key, capture).empty()) {
            sum.captured += moved.minor;
            continue;
        }
        sum.returned -= moved.minor;
        std::string_view id = rest_of(key, refund);
        if (id.empty()) id = rest_of(key, bounce);
        if (id.empty()) continue;
        id = id.substr(0, id.find('#'));  // a repetition of the same refund
        sums.refunded[EffectKey(refund.str() + std::string(id))] -= moved.minor;
    }
    return sums;
}

void derive(Payment& payment, const Sums& sums) {
    payment.captured = sums.own.captured;
    payment.returned = sums.own.returned;
    if (sums.own.captured > 0) {
        payment.state = state_of(sums.own, sums.disputed);
    } else if (sums.foreign.captured > 0) {
        // Until an operator has accepted it, or all of it went back.
        const State state = state_of(sums.foreign, sums.disputed);
        const bool accepted = is_captured(payment.state) || state == State::refunded;
        payment.state = accepted ? state : State::needs_review;
        if (!accepted && payment.note.empty()) payment.note = "money in another currency moved";
    } else if (is_captured(payment.state)) {
        // The card was charged: another attempt waits until an operator has decided.
        payment.state = State::needs_review;
        payment.note = "its capture was reversed";
    }
}

void derive(Refund& refund, const Payment& payment, const Sums& sums) {
    const auto posted = sums.refunded.find(key_of(payment, "refund", refund.reference));
    if (!is_final(refund.state) || refund.reference.empty() || posted == sums.refunded.end()) {
        return;
    }
    const RefundState state = posted->second > 0 ? RefundState::succeeded : RefundState::failed;
    if (state == refund.state) return;
    refund.state = state;
    refund.note = state == RefundState::failed ? "the refund bounced" : "";
}

std::int64_t under_way(const Payment& payment, const Sums& sums,
                       const std::vector<Refund>& refunds) {
    std::int64_t open = 0;
    for (const Refund& refund : refunds) {
        const bool posted = !refund.reference.empty() &&
                            sums.refunded.contains(key_of(payment, "refund", refund.reference));
        if (!posted && refund.state != RefundState::failed) open += refund.amount.minor;
    }
    return open;
}

std::int64_t refundable(const Payment& payment, const Sums& sums,
                        const std::vector<Refund>& refunds) {
    const std::int64_t left =
        payment.captured - sums.own.returned - under_way(payment, sums, refunds);
    return std::max<std::int64_t>(0, left);
}

OrderSums sum_up(const Order& order, const std::vector<Payment>& payments) {
    OrderSums sums;
    std::int64_t capturable = 0;
    bool disputed = false;
    for (const Payment& payment : payments) {
        if (payment.amount.currency != order.amount.currency) continue;
        sums.captured += payment.captured;
        sums.returned += payment.returned;
        capturable += payment.capturable;
        disputed = disputed || payment.state == State::disputed;
    }
    sums.due = std::max<std::int64_t>(0, order.amount.minor - sums.captured - capturable);
    if (disputed) {
        sums.state = "disputed";
    } else if (sums.captured == 0) {
        sums.state = "open";
    } else if (sums.returned >= sums.captured) {
        sums.state = "refunded";
    } else if (sums.returned > 0) {
        sums.state = "partially_refunded";
    } else if (sums.captured < order.amount.minor) {
        sums.state = "partly_paid";
    } else {
        sums.state = sums.captured == order.amount.minor ? "paid" : "overpaid";
    }
    return sums;
}

}  // namespace pawl::payments
