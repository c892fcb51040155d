// POST /v1/payments/{payment}/capture: captures what is authorized, all or a part of it, under an
// Idempotency-Key. Free of Drogon; called on a thread that may wait.
#pragma once

#include "controllers/v1/v1.hpp"

namespace pawl::http {

inline constexpr const char* capture_route = "POST /v1/payments/{payment}/capture";

ApiHandler start_capture(const PaymentDeps& deps, const KeyPolicy& policy, const Clock& clock);

}  // namespace pawl::http
