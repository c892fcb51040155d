// The sums of what has moved under a payment's root, from any source: the states of captured
// payments, of their refunds and orders follow from them. `read_movements` runs inside the caller's
// transaction; everything else is pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "payments/refunds.hpp"

namespace pawl::payments {

// One row of the journal. A reversal or correction counts as the movement that it goes back to.
struct RootMovement {
    EffectKey key;
    Money moved;  // to the account; below zero: from it
};

struct Sums {
    struct Sum {
        std::int64_t captured = 0, returned = 0;
    };
    Sum own;                                     // in the payment's currency
    Sum foreign;                                 // in any other
    std::map<EffectKey, std::int64_t> refunded;  // of each refund that was posted; 0: it bounced
    bool disputed = false;                       // a dispute is open
};

// Under the locks of order and payment. Complete where the root's lock is held or a signal is
// written with every movement: one of them comes after the other.
std::vector<RootMovement> read_movements(db::Transaction& transaction, const Payment& payment);
bool is_disputed(db::Transaction& transaction, const Payment& payment);

Sums sum_up(const Payment& payment, const std::vector<RootMovement>& movements);

// Sets the captured and returned amounts, and the state that follows; no change without a movement.
void derive(Payment& payment, const Sums& sums);
// Sets the state of a posted refund: succeeded, or failed once its money is back.
void derive(Refund& refund, const Payment& payment, const Sums& sums);

// Returns the sum of the refunds that are neither posted nor failed.
std::int64_t under_way(const Payment& payment, const Sums& sums,
                       const std::vector<Refund>& refunds);
// Returns the refundable amount: neither returned nor in a refund that is not posted yet.
std::int64_t refundable(const Payment& payment, const Sums& sums,
                        const std::vector<Refund>& refunds);

// The state of an order, summed from its payments.
struct OrderSums {
    std::int64_t captured = 0, returned = 0;
    std::int64_t due = 0;  // neither captured nor to be captured; never below zero
    std::string_view state;
};
OrderSums sum_up(const Order& order, const std::vector<Payment>& payments);

}  // namespace pawl::payments
