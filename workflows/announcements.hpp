// Where a payment or refund has come to an end, or needs an operator: the message to subscribers,
// and the answer to the client that waits for it under a key. Inside the caller's transaction.
#pragma once

#include "payments/refunds.hpp"

namespace pawl::workflows {

void announce(db::Transaction& transaction, const payments::Payment& payment, Time now);
void announce(db::Transaction& transaction, const payments::Refund& refund,
              const AccountId& account, Time now);

}  // namespace pawl::workflows
