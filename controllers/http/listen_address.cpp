#include "controllers/http/listen_address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/text.hpp"

namespace pawl::http {
namespace {

struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t length = 0;
};

bool to_socket_address(const ListenAddress& address, SocketAddress& out) {
    auto* v4 = reinterpret_cast<sockaddr_in*>(&out.storage);
    auto* v6 = reinterpret_cast<sockaddr_in6*>(&out.storage);
    if (inet_pton(AF_INET, address.ip.c_str(), &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(address.port);
        out.length = sizeof *v4;
        return true;
    }
    if (inet_pton(AF_INET6, address.ip.c_str(), &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(address.port);
        out.length = sizeof *v6;
        return true;
    }
    return false;
}

// A bound socket that does not listen, or -1 with errno.
int bind_to(const SocketAddress& address, bool share_port) {
    const int fd = socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    const int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (share_port) setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
    if (bind(fd, reinterpret_cast<const sockaddr*>(&address.storage), address.length) == 0) {
        return fd;
    }
    const int why = errno;
    close(fd);
    errno = why;
    return -1;
}

Error cannot_listen(const ListenAddress& address) {
    const int why = errno;
    std::string message = "cannot listen on " + address.text() + ": " + std::strerror(why);
    if (why == EADDRINUSE) {
        return unreachable(message +
                           "; stop what listens there, or choose another port (PAWL_LISTEN, "
                           "PAWL_ADMIN_LISTEN)");
    }
    if (why == EACCES) return invalid(message + "; ports below 1024 need a privilege");
    return invalid(message + "; is this an address of this machine?");
}

}  // namespace

std::uint16_t bound_port(int fd) {
    sockaddr_storage storage{};
    socklen_t length = sizeof storage;
    if (getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &length) != 0) return 0;
    return ntohs(storage.ss_family == AF_INET6
                     ? reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_port
                     : reinterpret_cast<const sockaddr_in*>(&storage)->sin_port);
}

std::string ListenAddress::text() const {
    const bool v6 = ip.find(':') != std::string::npos;
    return (v6 ? "[" + ip + "]" : ip) + ":" + std::to_string(port);
}

Result<ListenAddress> parse_listen_address(std::string_view text) {
    const Error wrong = invalid("'" + std::string(text) +
                                "' is not an address to listen on; write it like 127.0.0.1:8080");
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) return wrong;
    std::string_view host = text.substr(0, colon);
    const std::string_view digits = text.substr(colon + 1);
    ListenAddress address;
    const auto port = to_number<std::uint16_t>(digits);
    if (!port) return wrong;
    address.port = *port;
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    if (host.empty()) host = "0.0.0.0";
    if (host == "localhost") host = "127.0.0.1";
    address.ip = host;
    SocketAddress ignored;
    if (!to_socket_address(address, ignored)) return wrong;
    return address;
}

ReservedPort::ReservedPort(ReservedPort&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), port_(other.port_) {}

ReservedPort& ReservedPort::operator=(ReservedPort&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(port_, other.port_);
    return *this;
}

ReservedPort::~ReservedPort() {
    if (fd_ >= 0) close(fd_);
}

Result<ReservedPort> ReservedPort::take(const ListenAddress& address) {
    SocketAddress where;
    if (!to_socket_address(address, where)) {
        return invalid("'" + address.ip + "' is not an IP address");
    }
    if (address.port != 0) {
        const int probe = bind_to(where, false);
        if (probe < 0) return cannot_listen(address);
        close(probe);
    }
    ReservedPort reserved;
    reserved.fd_ = bind_to(where, true);
    if (reserved.fd_ < 0) return cannot_listen(address);
    reserved.port_ = bound_port(reserved.fd_);
    return reserved;
}

}  // namespace pawl::http
