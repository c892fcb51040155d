// Errors as application/problem+json (RFC 9457), all of the same shape: programs compare `code`,
// which never changes, `detail` is for display. Free functions; any thread.
#pragma once

#include <string>
#include <string_view>

#include "controllers/http/http.hpp"

namespace pawl::http {

Reply problem(int status, std::string_view code, std::string_view detail);
// 503 with Retry-After: a temporary error of the server; the client should retry.
Reply unavailable(std::string_view code, std::string_view detail, int retry_after_s = 1);
Reply method_not_allowed(std::string_view allow);

}  // namespace pawl::http
