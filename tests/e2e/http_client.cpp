#include "tests/e2e/http_client.hpp"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <strings.h>
#include <sys/socket.h>

#include <cstdlib>

namespace pawl::testing {
namespace {

using Steady = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Longer than any answer may take: what comes later counts as a hang.
constexpr milliseconds answer_limit(20000);

bool same_name(std::string_view a, std::string_view b) {
    return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    return text;
}

Response parse_head(std::string_view head) {
    Response response;
    response.status = std::atoi(std::string(head.substr(head.find(' ') + 1, 3)).c_str());
    for (auto at = head.find("\r\n"); at != head.npos && at + 2 < head.size();) {
        const auto end = head.find("\r\n", at + 2);
        const auto line = head.substr(at + 2, end - at - 2);
        const auto colon = line.find(':');
        if (colon != line.npos) {
            response.headers.emplace_back(line.substr(0, colon), trimmed(line.substr(colon + 1)));
        }
        at = end;
    }
    return response;
}

}  // namespace

std::string Response::header(std::string_view name) const {
    for (const auto& [key, value] : headers) {
        if (same_name(key, name)) return value;
    }
    return "";
}

std::string Response::code() const {
    constexpr std::string_view key = "\"code\":\"";
    const auto at = body.find(key);
    if (at == std::string::npos) return "";
    const auto begin = at + key.size();
    return body.substr(begin, body.find('"', begin) - begin);
}

bool HttpClient::connect() {
    fd_.reset(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int on = 1;
    setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
        return true;
    }
    fd_.reset();
    return false;
}

// Without a request, a readable socket means that the server has closed it.
bool HttpClient::left_by_the_other_side() const {
    pollfd readable{fd_.get(), POLLIN | POLLRDHUP, 0};
    return poll(&readable, 1, 0) > 0;
}

bool HttpClient::send(std::string_view bytes) {
    if (fd_.open() && left_by_the_other_side()) fd_.reset();
    if (!fd_.open() && !connect()) return false;
    while (!bytes.empty()) {
        const auto sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

bool HttpClient::read_more(std::string& into, Steady::time_point give_up) {
    const auto left = std::chrono::duration_cast<milliseconds>(give_up - Steady::now()).count();
    pollfd readable{fd_.get(), POLLIN, 0};
    char some[16384];
    if (left <= 0 || poll(&readable, 1, static_cast<int>(left)) <= 0) return false;
    const auto got = recv(fd_.get(), some, sizeof some, 0);
    if (got <= 0) return false;
    into.append(some, static_cast<std::size_t>(got));
    return true;
}

Response HttpClient::read() {
    const auto began = Steady::now();
    std::string all;
    auto head_end = std::string::npos;
    while (head_end == std::string::npos) {
        if (!fd_.open() || !read_more(all, began + answer_limit)) {
            fd_.reset();
            return {.took = std::chrono::duration_cast<milliseconds>(Steady::now() - began)};
        }
        head_end = all.find("\r\n\r\n");
    }
    Response response = parse_head(std::string_view(all).substr(0, head_end));
    const auto length =
        static_cast<std::size_t>(std::atol(response.header("Content-Length").c_str()));
    std::string body = all.substr(head_end + 4);
    while (body.size() < length && read_more(body, began + answer_limit)) {
    }
    response.body = std::move(body);
    response.took = std::chrono::duration_cast<milliseconds>(Steady::now() - began);
    if (same_name(response.header("Connection"), "close")) fd_.reset();
    return response;
}

Response HttpClient::exchange(std::string_view bytes) {
    return send(bytes) ? read() : Response{};
}

Response HttpClient::request(std::string_view method, std::string_view path,
                             const providers::Headers& headers, std::string_view body) {
    std::string bytes;
    bytes.append(method).append(" ").append(path).append(" HTTP/1.1\r\nHost: localhost\r\n");
    for (const auto& [name, value] : headers) bytes += name + ": " + value + "\r\n";
    if (!body.empty() || method == "POST") {
        bytes += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    }
    bytes.append("\r\n").append(body);
    return exchange(bytes);
}

Response HttpClient::get(std::string_view path) {
    return request("GET", path, {}, "");
}

Response HttpClient::post(std::string_view path, const providers::Headers& headers,
                          std::string_view body) {
    return request("POST", path, headers, body);
}

}  // namespace pawl::testing
