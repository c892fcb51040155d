// Turns plain replies into Drogon's responses. Included by the edge only. Any thread.
#pragma once

#include <drogon/HttpResponse.h>

#include "controllers/http/http.hpp"

namespace pawl::http {

drogon::HttpResponsePtr to_drogon(Reply reply, Listener listener);

}  // namespace pawl::http
