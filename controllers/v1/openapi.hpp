// GET /openapi.json: parameters and responses of every route, from openapi.json in this folder.
// Independent of Drogon.
#pragma once

#include <string>

#include "controllers/http/http.hpp"
#include "controllers/http/listen_address.hpp"

namespace pawl::http {

std::string openapi_text();  // as it stands in openapi.json
// With the addresses of both listeners, as the servers of its paths.
std::string openapi_for(const ListenAddress& open, const ListenAddress& admin);
Handler openapi(const ListenAddress& open, const ListenAddress& admin);

}  // namespace pawl::http
