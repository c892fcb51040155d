// Limits of the gate. A plain value.
#pragma once

#include <cstddef>

#include "controllers/http/connection.hpp"

namespace pawl::http {

// Limits of one listener; another listener's traffic takes no part of them.
struct SideLimits {
    std::size_t connections;
    std::size_t memory_bytes;  // limit of requests arriving or in progress
    std::size_t unread_bytes;  // limit of unread answers
};

struct GateLimits {
    ConnectionLimits connection;
    SideLimits open{8192,  // below the usual limit of open files
                    64 * 1024 * 1024, 32 * 1024 * 1024};
    SideLimits admin{256, 16 * 1024 * 1024, 32 * 1024 * 1024};
    std::size_t unread_bytes_per_connection = 8 * 1024 * 1024;  // limit of one connection
};

}  // namespace pawl::http
