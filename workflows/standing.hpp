// Writes what became of a payment, of its captures, its refunds and its order, and announces each
// state that they reach: a message to subscribers, and the answer to a client that waits. Inside
// the caller's transaction, under the locks of order and payment.
#pragma once

#include <optional>
#include <string>

#include "payments/captures.hpp"
#include "payments/refunds.hpp"

namespace pawl::workflows {

void keep(db::Transaction& transaction, const payments::Payment& before,
          const payments::Payment& after, Time now);
void keep(db::Transaction& transaction, const payments::Refund& before,
          const payments::Refund& after, const AccountId& account, Time now);
void keep(db::Transaction& transaction, const payments::Capture& before,
          const payments::Capture& after, const payments::Payment& payment, Time now);

// Brings the payment, each of its refunds and the order to the sums under the payment's root.
// Returns the payment as it is then.
payments::Payment bring_to_sums(db::Transaction& transaction, const payments::Payment& before,
                                payments::Payment after, Time now);

// Returns the other payment of the same books that has the gateway's id; nullopt if none has.
// Then the payment has it from then on.
std::optional<std::string> take_reference(db::Transaction& transaction, payments::Payment& payment,
                                          const std::string& reference);

}  // namespace pawl::workflows
