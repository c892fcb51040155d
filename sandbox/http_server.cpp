#include "sandbox/http_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

namespace pawl::sandbox {
namespace {

constexpr std::size_t connections_max = 1024;
constexpr std::size_t head_bytes_max = 32 * 1024;
constexpr std::size_t body_bytes_max = 1024 * 1024;
constexpr int idle_ms_max = 60'000;

// Returns whether there is something to read; false on timeout or after stop().
bool readable(int socket, int stopping, int timeout_ms) {
    pollfd ready[] = {{socket, POLLIN, 0}, {stopping, POLLIN, 0}};
    int count = 0;
    do {
        count = ::poll(ready, 2, timeout_ms);
    } while (count < 0 && errno == EINTR);
    return count > 0 && ready[1].revents == 0;
}

std::optional<std::size_t> body_bytes(const Request& request) {
    const auto length = request.header("Content-Length");
    if (!length) return 0;
    std::size_t bytes = 0;
    const char* end = length->data() + length->size();
    const auto [stop, failed] = std::from_chars(length->data(), end, bytes);
    if (failed != std::errc() || stop != end || bytes > body_bytes_max) return std::nullopt;
    return bytes;
}

Reply refusal(int status) {
    return {status, R"({"error":{"type":"invalid_request_error","message":"not understood"}})", {}};
}

}  // namespace

Result<void> HttpServer::start(const std::string& host, std::uint16_t port) {
    const std::string where = host + ":" + std::to_string(port);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    if (::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) {
        return invalid("cannot listen on " + where + ": write an IPv4 address and a port");
    }
    listener_.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    stopping_.reset(::eventfd(0, EFD_CLOEXEC));
    const int yes = 1;
    ::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    auto* bound = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    if (::bind(listener_.get(), bound, size) != 0 || ::listen(listener_.get(), 512) != 0) {
        return unreachable("cannot listen on " + where + ": " + process::reason(errno));
    }
    ::getsockname(listener_.get(), bound, &size);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
    return {};
}

void HttpServer::stop() {
    if (!acceptor_.joinable()) return;
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(stopping_.get(), &one, sizeof one);
    acceptor_.join();
    reap(true);
    listener_.reset();
}

void HttpServer::accept_all() {
    while (readable(listener_.get(), stopping_.get(), -1)) {
        process::Fd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        reap(false);
        if (!socket.open() || connections_.size() >= connections_max) continue;
        const int yes = 1;
        ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        Connection& connection = connections_.emplace_back();
        connection.socket = std::move(socket);
        connection.thread = std::thread([this, &connection] { serve(connection); });
    }
}

void HttpServer::reap(bool all) {
    for (auto it = connections_.begin(); it != connections_.end();) {
        if (!all && !it->ended) {
            ++it;
            continue;
        }
        it->thread.join();
        it = connections_.erase(it);
    }
}

void HttpServer::serve(Connection& connection) {
    std::string pending;
    while (serve_one(connection.socket.get(), pending)) {
    }
    connection.socket.reset();
    connection.ended = true;
}

bool HttpServer::read_more(int socket, std::string& pending) const {
    char bytes[16 * 1024];
    if (!readable(socket, stopping_.get(), idle_ms_max)) return false;
    const ssize_t got = ::recv(socket, bytes, sizeof bytes, 0);
    if (got > 0) pending.append(bytes, static_cast<std::size_t>(got));
    return got > 0;
}

bool HttpServer::serve_one(int socket, std::string& pending) {
    std::size_t head = 0;
    while ((head = pending.find("\r\n\r\n")) == std::string::npos) {
        if (pending.size() > head_bytes_max || !read_more(socket, pending)) return false;
    }
    auto request = parse_head(std::string_view(pending).substr(0, head));
    if (!request || request->header("Transfer-Encoding")) {
        return finish(socket, refusal(400), false);
    }
    const auto bytes = body_bytes(*request);
    if (!bytes) return finish(socket, refusal(413), false);
    const std::size_t size = head + 4 + *bytes;
    while (pending.size() < size) {
        if (!read_more(socket, pending)) return false;
    }
    request->body = pending.substr(head + 4, *bytes);
    pending.erase(0, size);
    const bool keep_alive = !same_name(request->header("Connection").value_or(""), "close");
    return finish(socket, handler_(*request), keep_alive);
}

bool HttpServer::finish(int socket, const Reply& reply, bool keep_alive) const {
    if (reply.manner == Manner::silence) {
        stay_silent(socket, reply.silence);
        return false;
    }
    if (reply.manner == Manner::reset) {
        const linger at_once{1, 0};  // close() then sends RST instead of FIN
        ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        return false;
    }
    const std::string bytes = render(reply, keep_alive);
    std::string_view rest = bytes;
    while (!rest.empty()) {
        const ssize_t sent = ::send(socket, rest.data(), rest.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        rest.remove_prefix(static_cast<std::size_t>(sent));
    }
    return keep_alive;
}

// Until the client disconnects, as it does on its own timeout.
void HttpServer::stay_silent(int socket, std::chrono::milliseconds limit) const {
    if (!readable(socket, stopping_.get(), static_cast<int>(limit.count()))) return;
    char byte = 0;
    [[maybe_unused]] const auto got = ::recv(socket, &byte, 1, 0);
}

}  // namespace pawl::sandbox
