// How much the gate lets in. A plain value.
#pragma once

#include <cstddef>

#include "controllers/connection.hpp"

namespace pawl::http {

struct GateLimits {
    ConnectionLimits connection;
    std::size_t open_connections = 8192;  // below the usual limit of open files
    std::size_t admin_connections = 256;  // apart, so that a flood cannot lock operators out
    std::size_t memory_bytes = 64 * 1024 * 1024;  // of requests arriving or being worked on
    // Of answers that their clients do not read, apart: those cannot take the requests' memory
    // away. Of all connections, and of one.
    std::size_t unread_bytes = 32 * 1024 * 1024;
    std::size_t unread_bytes_each = 8 * 1024 * 1024;
};

}  // namespace pawl::http
