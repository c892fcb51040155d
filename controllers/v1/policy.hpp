// GET /v1/idempotency: the key policy, for clients and for debugging. Independent of Drogon.
#pragma once

#include "controllers/v1/v1.hpp"

namespace pawl::http {

ApiHandler get_policy(const KeyPolicy& policy);

}  // namespace pawl::http
