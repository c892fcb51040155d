#include "tests/support/free_port.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <string>

#include "base/process.hpp"

namespace pawl::testing {
namespace {

// An abstract socket is a lock between all processes of the machine that the kernel releases when
// its owner dies. It is never closed: the reservation belongs to the process.
bool reserve(std::uint16_t port) {
    const std::string name = "pawl-test-port-" + std::to_string(port);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, name.data(), name.size());
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    process::Fd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) return false;
    fd.release();
    return true;
}

bool can_bind(std::uint16_t port) {
    const process::Fd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace

// From below the range out of which the kernel serves clients: a port of that range could go to any
// client before the server, or its next run, binds it.
std::uint16_t free_port() {
    static std::atomic<unsigned> next{static_cast<unsigned>(getpid()) * 64};
    for (;;) {
        const auto port = static_cast<std::uint16_t>(20000 + next++ % 10000);
        if (reserve(port) && can_bind(port)) return port;
    }
}

}  // namespace pawl::testing
