// The target of deliveries: http://HOST[:PORT][/PATH], parsed, and the addresses of the name.
// Values; looking a name up blocks.
#pragma once

#include <sys/socket.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace pawl::app {

struct Target {
    std::string host;  // without brackets
    std::string port;
    std::string path;  // and query; "/" where the URL has none

    std::string authority() const;  // for the Host header
    std::string url() const;
};

Result<Target> parse_target(std::string_view url);

struct Address {
    sockaddr_storage storage{};
    socklen_t length = 0;
};

// In the system's order of preference; never empty.
Result<std::vector<Address>> look_up(const Target& target);

}  // namespace pawl::app
