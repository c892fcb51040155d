// Checks listen addresses before the server's own threads try them: those could only abort. A
// ReservedPort keeps a port between choosing it and listening on it. Values and free functions; any
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace pawl::http {

struct ListenAddress {
    std::string ip = "127.0.0.1";
    std::uint16_t port = 0;    // 0: any free one
    std::string text() const;  // "127.0.0.1:8080", "[::1]:8080"
};

// "127.0.0.1:8080", "[::]:8080", "localhost:8080", ":8080" (every address).
Result<ListenAddress> parse_listen_address(std::string_view text);

std::uint16_t bound_port(int fd);  // 0: it is not bound

class ReservedPort {
  public:
    ReservedPort() = default;
    ReservedPort(ReservedPort&& other) noexcept;
    ReservedPort& operator=(ReservedPort&& other) noexcept;
    ~ReservedPort();

    // Fails if another program listens there already, which SO_REUSEPORT would not notice.
    static Result<ReservedPort> take(const ListenAddress& address);
    std::uint16_t port() const { return port_; }

  private:
    int fd_ = -1;
    std::uint16_t port_ = 0;
};

}  // namespace pawl::http
