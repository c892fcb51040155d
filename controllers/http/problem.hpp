// Errors as application/problem+json (RFC 9457), all of the same shape: `code` is what programs
// compare and never changes, `detail` is for people. Free functions; any thread.
#pragma once

#include <string>
#include <string_view>

#include "controllers/http/http.hpp"

namespace pawl::http {

Reply problem(int status, std::string_view code, std::string_view detail);
// Our own trouble: the sender should come again, and is told when.
Reply unavailable(std::string_view code, std::string_view detail, int retry_after_s = 1);
Reply method_not_allowed(std::string_view allow);

std::string json_quoted(std::string_view text);  // with its quotes; invalid UTF-8 is replaced

}  // namespace pawl::http
