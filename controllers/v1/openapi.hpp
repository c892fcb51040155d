// GET /openapi.json: what every route takes and answers, as openapi.json beside this file says it.
// Free of Drogon.
#pragma once

#include "controllers/http.hpp"

namespace pawl::http {

Handler openapi();

}  // namespace pawl::http
