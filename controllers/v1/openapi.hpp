// GET /openapi.json: what every route takes and answers, as openapi.json beside this file says it.
// Free of Drogon.
#pragma once

#include <string>

#include "controllers/http/http.hpp"
#include "controllers/http/listen_address.hpp"

namespace pawl::http {

// `open` is the public listener's address, which the document names as its server.
std::string openapi_for(const ListenAddress& open);
Handler openapi(const ListenAddress& open);

}  // namespace pawl::http
