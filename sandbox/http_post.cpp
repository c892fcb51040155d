#include "sandbox/http_post.hpp"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <charconv>
#include <memory>

#include "base/process.hpp"

namespace pawl::sandbox {
namespace {

struct FreeAddresses {
    void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};

process::Fd connected(const Target& target, std::chrono::milliseconds within) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    const std::string port = std::to_string(target.port);
    if (::getaddrinfo(target.host.c_str(), port.c_str(), &hints, &list) != 0) return process::Fd();
    const std::unique_ptr<addrinfo, FreeAddresses> owned(list);
    timeval limit{};
    limit.tv_sec = within.count() / 1000;
    limit.tv_usec = within.count() % 1000 * 1000;
    for (const addrinfo* one = list; one != nullptr; one = one->ai_next) {
        process::Fd socket(::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
        // Linux bounds connect() by the send timeout, too.
        ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
        ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        if (::connect(socket.get(), one->ai_addr, one->ai_addrlen) == 0) return socket;
    }
    return process::Fd();
}

int status_in(const std::string& answer) {
    constexpr std::size_t at = sizeof "HTTP/1.1 " - 1;
    int status = 0;
    if (answer.size() < at + 3 || !answer.starts_with("HTTP/1.")) return 0;
    std::from_chars(answer.data() + at, answer.data() + at + 3, status);
    return status;
}

}  // namespace

Result<Target> parse_target(const std::string& url) {
    constexpr std::string_view scheme = "http://";
    const Error wrong = invalid("\"" + url + "\" is not an address for webhooks; write it like " +
                                "http://127.0.0.1:8080/webhooks/sandbox");
    if (!url.starts_with(scheme)) return wrong;
    Target target;
    std::string rest = url.substr(scheme.size());
    const auto slash = rest.find('/');
    if (slash != std::string::npos) {
        target.path = rest.substr(slash);
        rest.resize(slash);
    }
    const auto colon = rest.rfind(':');
    if (colon != std::string::npos) {
        const char* end = rest.data() + rest.size();
        const auto [stop, failed] = std::from_chars(rest.data() + colon + 1, end, target.port);
        if (failed != std::errc() || stop != end || target.port == 0) return wrong;
        rest.resize(colon);
    }
    if (rest.empty() || url.find_first_of(" \r\n") != std::string::npos) return wrong;
    target.host = rest;
    return target;
}

int post(const Target& target, const Fields& headers, const std::string& body,
         std::chrono::milliseconds within) {
    const process::Fd socket = connected(target, within);
    if (!socket.open()) return 0;
    std::string request = "POST " + target.path + " HTTP/1.1\r\nHost: " + target.host + ":" +
                          std::to_string(target.port) + "\r\nConnection: close\r\n";
    for (const auto& [name, value] : headers) request += name + ": " + value + "\r\n";
    request += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    std::string_view rest = request;
    while (!rest.empty()) {
        const ssize_t sent = ::send(socket.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
        if (sent <= 0) return 0;
        rest.remove_prefix(static_cast<std::size_t>(sent));
    }
    std::string answer;
    char bytes[1024];
    while (answer.size() < 12) {  // "HTTP/1.1 200"
        const ssize_t got = ::recv(socket.get(), bytes, sizeof bytes, 0);
        if (got <= 0) break;
        answer.append(bytes, static_cast<std::size_t>(got));
    }
    return status_in(answer);
}

}  // namespace pawl::sandbox
