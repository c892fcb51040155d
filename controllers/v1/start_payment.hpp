// POST /v1/orders/{order}/payments: an attempt to have an order paid, under an Idempotency-Key. The
// key, the attempt and the run of the workflow are one transaction. Free of Drogon; called on a
// thread that may wait.
#pragma once

#include "controllers/v1/v1.hpp"

namespace pawl::http {

inline constexpr const char* payments_route = "POST /v1/orders/{order}/payments";

ApiHandler start_payment(const PaymentDeps& deps, const KeyPolicy& policy, const Clock& clock);

}  // namespace pawl::http
