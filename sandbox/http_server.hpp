// A small HTTP/1.1 server: a thread for each connection, Content-Length, keep-alive, and limits.
// Not for the internet: it serves tests. The handler is called on the connections' threads, many at
// once. Owned by the Sandbox; start and stop once.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>

#include "base/process.hpp"
#include "base/result.hpp"
#include "sandbox/http.hpp"

namespace pawl::sandbox {

class HttpServer {
  public:
    using Handler = std::function<Reply(const Request&)>;

    explicit HttpServer(Handler handler) : handler_(std::move(handler)) {}
    ~HttpServer() { stop(); }
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    Result<void> start(const std::string& host, std::uint16_t port);  // port 0: any
    void stop();  // closes every connection and returns when their threads have ended
    std::uint16_t port() const { return port_; }

  private:
    struct Connection {
        process::Fd socket;
        std::thread thread;
        std::atomic<bool> ended{false};
    };

    void accept_all();
    void reap(bool all);
    void serve(Connection& connection);
    bool serve_one(int socket, std::string& pending);
    bool read_more(int socket, std::string& pending) const;
    bool finish(int socket, const Reply& reply, bool keep_alive) const;
    void stay_silent(int socket, std::chrono::milliseconds limit) const;

    Handler handler_;
    std::uint16_t port_ = 0;
    process::Fd listener_;
    process::Fd stopping_;  // an eventfd: readable once it is time to stop
    std::thread acceptor_;
    std::list<Connection> connections_;  // touched by the acceptor, and by stop() after it
};

}  // namespace pawl::sandbox
