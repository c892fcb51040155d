// Posts one body to an http:// address, over its own socket, and returns the answer. Blocks for at
// most its timeout. No state; any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "sandbox/http.hpp"

namespace pawl::sandbox {

struct Target {
    std::string host;
    std::uint16_t port = 80;
    std::string path = "/";
};

Result<Target> parse_target(const std::string& url);  // http://HOST[:PORT][/PATH]

// The status, or 0 where there was none in time.
int post(const Target& target, const Fields& headers, const std::string& body,
         std::chrono::milliseconds within);

}  // namespace pawl::sandbox
