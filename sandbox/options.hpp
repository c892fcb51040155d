// Options of the sandbox. Values.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "sandbox/faults.hpp"

namespace pawl::sandbox {

struct Options {
    std::string host = "127.0.0.1";
    std::uint16_t port = 8090;  // 0: any
    std::string webhook_url;    // empty: no webhooks are sent
    std::string webhook_secret;
    std::string api_key;
    Duration key_horizon = std::chrono::hours(24);
    Duration search_lag{0};
    std::vector<FaultRate> faults;
    std::uint64_t seed = 1;
    std::chrono::milliseconds webhook_retry{200};  // the first one; they double up to 5 s
};

}  // namespace pawl::sandbox
