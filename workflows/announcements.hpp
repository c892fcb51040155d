// Each state that a payment or refund reaches: the message to subscribers and, where the client
// that waits under a key waits no longer, its answer. Inside the caller's transaction.
#pragma once

#include "payments/captures.hpp"
#include "payments/refunds.hpp"

namespace pawl::workflows {

void announce(db::Transaction& transaction, const payments::Payment& payment, Time now);
void announce(db::Transaction& transaction, const payments::Refund& refund,
              const AccountId& account, Time now);
// Its money is announced by the payment and by the credit: here the client that waits is answered.
void announce(db::Transaction& transaction, const payments::Capture& capture,
              const payments::Payment& payment, Time now);

}  // namespace pawl::workflows
