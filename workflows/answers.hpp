// What a caller of /v1 is answered when a payment or a refund has settled: stored with the
// settlement, and replayed byte for byte. Pure.
#pragma once

#include "payments/idempotency.hpp"
#include "payments/payments.hpp"
#include "payments/refunds.hpp"

namespace pawl::workflows {

payments::StoredAnswer settled_answer(const payments::Payment& payment);
payments::StoredAnswer settled_answer(const payments::Refund& refund);

}  // namespace pawl::workflows
