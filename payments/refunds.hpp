// Refunds of a payment, numbered by its order and never above what was captured. Inside the
// caller's transaction, on its thread.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "payments/payments.hpp"

namespace pawl::payments {

struct Refund {
    std::string id;  // ref_...
    std::string payment_id, order_id;
    int n = 1;
    std::string key;  // refund:<order>:<n>
    RefundState state = RefundState::created;
    std::string note;
    Money amount;
    std::string reference;
    CorrelationId correlation_id;
    Time created_at, updated_at;
    bool operator==(const Refund&) const = default;
};

std::string new_refund_id();  // ref_..., at random

struct NewRefund {
    std::string id;
    std::int64_t amount = 0;
    CorrelationId correlation_id;
};
struct NotRefundable {
    std::string code;  // refund_exceeds_captured | payment_not_refundable
    std::int64_t left = 0;
};
// Allocates the next refund under the order's lock (taken here): together with everything that was
// returned, refunds that are not posted yet never exceed what was captured.
std::variant<Refund, NotRefundable> allocate_refund(db::Transaction& transaction,
                                                    const Payment& payment, const NewRefund& wanted,
                                                    Time now);

std::optional<Refund> find_refund(db::Transaction& transaction, const std::string& id);
// Locks its order's row, its payment's, then its own.
struct LockedRefund {
    Refund refund;
    Payment payment;
};
std::optional<LockedRefund> lock_refund(db::Transaction& transaction, const std::string& id);
std::vector<Refund> refunds_of(db::Transaction& transaction, const std::string& payment_id);
bool advance(Refund& refund, RefundState to);  // as of a payment
void save(db::Transaction& transaction, const Refund& before, const Refund& after, Time now);

}  // namespace pawl::payments
