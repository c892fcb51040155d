// An HTTP server on loopback that treats a connection as its test demands. One connection at a
// time, on its own thread; owned by its test.
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace pawl::outbound::test {

enum class Then { keep, close, reset };

struct Reaction {
    std::string bytes;
    Then then = Then::keep;
    bool hang = false;  // no answer until the client has gone
};

inline std::string http_answer(int status, const std::string& body, const std::string& more = "") {
    return "HTTP/1.1 " + std::to_string(status) + " Reason\r\n" + more +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

class LoopbackServer {
  public:
    using Script = std::function<Reaction(const std::string& request)>;

    explicit LoopbackServer(Script script)
        : script_(std::move(script)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* where = reinterpret_cast<sockaddr*>(&address);
        if (::bind(listener_, where, size) != 0 || ::listen(listener_, 16) != 0) {
            throw std::runtime_error("no port");
        }
        ::getsockname(listener_, where, &size);
        port_ = ntohs(address.sin_port);
        thread_ = std::thread([this] { serve(); });
    }
    ~LoopbackServer() {
        stopping_ = true;
        thread_.join();
        ::close(listener_);
    }

    std::string url(const std::string& path = "/") const {
        return "http://127.0.0.1:" + std::to_string(port_) + path;
    }
    std::vector<std::string> requests() const {
        const std::lock_guard lock(mutex_);
        return requests_;
    }
    int connections() const { return connections_; }

  private:
    bool readable(int socket) const {
        while (!stopping_) {
            pollfd ready{socket, POLLIN, 0};
            if (::poll(&ready, 1, 10) > 0) return true;
        }
        return false;
    }

    void serve() {
        while (readable(listener_)) {
            const int peer = ::accept(listener_, nullptr, nullptr);
            ++connections_;
            std::string pending;
            while (hear(peer, pending)) {
            }
            ::close(peer);
        }
    }

    bool hear(int peer, std::string& pending) {
        while (!whole(pending)) {
            char bytes[4096];
            if (!readable(peer)) return false;
            const ssize_t got = ::recv(peer, bytes, sizeof bytes, 0);
            if (got <= 0) return false;
            pending.append(bytes, static_cast<std::size_t>(got));
        }
        {
            const std::lock_guard lock(mutex_);
            requests_.push_back(pending);
        }
        const Reaction reaction = script_(pending);
        pending.clear();
        ::send(peer, reaction.bytes.data(), reaction.bytes.size(), MSG_NOSIGNAL);
        if (reaction.hang) return readable(peer) && false;
        if (reaction.then == Then::reset) {
            const linger at_once{1, 0};
            ::setsockopt(peer, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        }
        return reaction.then == Then::keep;
    }

    static bool whole(const std::string& request) {
        const std::size_t head = request.find("\r\n\r\n");
        if (head == std::string::npos) return false;
        const std::size_t length = request.find("Content-Length: ");
        if (length == std::string::npos || length > head) return true;
        return request.size() >= head + 4 + std::stoul(request.substr(length + 16));
    }

    Script script_;
    int listener_;
    std::uint16_t port_ = 0;
    std::atomic<bool> stopping_{false};
    std::atomic<int> connections_{0};
    mutable std::mutex mutex_;
    std::vector<std::string> requests_;
    std::thread thread_;
};

}  // namespace pawl::outbound::test
