// Routes of /v1 and their handlers. Called by the wiring before the server starts.
#pragma once

#include "controllers/http/routes.hpp"
#include "controllers/v1/v1.hpp"

namespace pawl::http {

// `payments` and `clock` must outlive the routes.
void add_v1(Routes& routes, const V1Deps& deps, const PaymentDeps& payments,
            const KeyPolicy& policy, const Clock& clock);

}  // namespace pawl::http
