// POST /v1/payments/{payment}/refunds: gives money back, under an Idempotency-Key. Free of Drogon;
// called on a thread that may wait.
#pragma once

#include "controllers/v1/v1.hpp"

namespace pawl::http {

inline constexpr const char* refunds_route = "POST /v1/payments/{payment}/refunds";

ApiHandler start_refund(const PaymentDeps& deps, const KeyPolicy& policy, const Clock& clock);

}  // namespace pawl::http
