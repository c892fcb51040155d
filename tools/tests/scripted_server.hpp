// An HTTP server on loopback that answers as its test demands, on its own thread. Owned by its
// test; the script is called on the server's thread only.
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace pawl::app::test {

inline std::string http_answer(int status, const std::string& body, const std::string& more = "") {
    return "HTTP/1.1 " + std::to_string(status) + " X\r\n" + more +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

class ScriptedServer {
  public:
    // The whole request in; the bytes of the answer out, or nothing to close the connection.
    using Script = std::function<std::optional<std::string>(const std::string& request)>;

    explicit ScriptedServer(Script script, bool open_now = true)
        : script_(std::move(script)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* where = reinterpret_cast<sockaddr*>(&address);
        if (::bind(listener_, where, size) != 0) throw std::runtime_error("no port");
        ::getsockname(listener_, where, &size);
        port_ = ntohs(address.sin_port);
        if (open_now) open();
    }
    ~ScriptedServer() {
        stopping_ = true;
        if (thread_.joinable()) thread_.join();
        ::close(listener_);
    }

    void open() {  // until then connections are refused
        ::listen(listener_, 64);
        thread_ = std::thread([this] { serve(); });
    }
    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/hooks"; }

  private:
    struct Peer {
        int socket;
        std::string pending;
    };

    void serve() {
        std::vector<Peer> peers;
        while (!stopping_) {
            std::vector<pollfd> ready = {{listener_, POLLIN, 0}};
            for (const Peer& peer : peers) ready.push_back({peer.socket, POLLIN, 0});
            ::poll(ready.data(), ready.size(), 10);
            std::vector<Peer> staying;
            for (std::size_t i = 0; i < peers.size(); ++i) {
                if (ready[i + 1].revents == 0 || hear(peers[i])) {
                    staying.push_back(std::move(peers[i]));
                } else {
                    ::close(peers[i].socket);
                }
            }
            peers = std::move(staying);
            if (ready[0].revents != 0) peers.push_back({::accept(listener_, nullptr, nullptr), ""});
        }
        for (const Peer& peer : peers) ::close(peer.socket);
    }

    bool hear(Peer& peer) {
        char bytes[4096];
        const ssize_t got = ::recv(peer.socket, bytes, sizeof bytes, 0);
        if (got <= 0) return false;
        peer.pending.append(bytes, static_cast<std::size_t>(got));
        const std::size_t head = peer.pending.find("\r\n\r\n");
        const std::size_t length = peer.pending.find("Content-Length: ");
        if (head == std::string::npos || length > head) return true;
        const std::size_t size = head + 4 + std::stoul(peer.pending.substr(length + 16));
        if (peer.pending.size() < size) return true;
        const auto answer = script_(peer.pending.substr(0, size));
        peer.pending.erase(0, size);
        if (answer) ::send(peer.socket, answer->data(), answer->size(), MSG_NOSIGNAL);
        return answer.has_value();
    }

    Script script_;
    int listener_;
    std::uint16_t port_ = 0;
    std::atomic<bool> stopping_{false};
    std::thread thread_;
};

}  // namespace pawl::app::test
