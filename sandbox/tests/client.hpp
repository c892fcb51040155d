// A client of the sandbox for its tests, over real sockets, and a receiver of its webhooks. Owned
// by a test.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/process.hpp"
#include "sandbox/http_server.hpp"
#include "sandbox/sandbox.hpp"

namespace pawl::sandbox::test {

struct Answer {
    int status = 0;  // 0: none came
    std::string head;
    std::string body;

    std::string at(const char* pointer) const {
        const auto document = json::Document::parse(body);
        if (!document) return "";
        const auto value = document->root().at(*json::Pointer::parse(pointer));
        return value ? value->text().value_or(std::string(value->raw())) : "missing";
    }
    bool replayed() const { return head.find("Idempotent-Replayed: true") != std::string::npos; }
};

inline Answer exchange(std::uint16_t port, const std::string& bytes, int wait_ms = 5000) {
    const process::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    const timeval limit{wait_ms / 1000, wait_ms % 1000 * 1000};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    std::string got;
    char buffer[16 * 1024];
    ssize_t count = 0;
    while ((count = ::recv(socket.get(), buffer, sizeof buffer, 0)) > 0) {
        got.append(buffer, static_cast<std::size_t>(count));
    }
    Answer answer;
    const auto end = got.find("\r\n\r\n");
    if (end == std::string::npos) return answer;
    answer.status = std::stoi(got.substr(9, 3));
    answer.head = got.substr(0, end);
    answer.body = got.substr(end + 4);
    return answer;
}

struct Call {
    std::string key;
    std::string fault;
    std::string api_key = "sk_test_unit";
    int wait_ms = 5000;
};

class Client {
  public:
    explicit Client(std::uint16_t port) : port_(port) {}

    Answer get(const std::string& path, const Call& call = {}) const {
        return send("GET", path, "", call);
    }
    Answer post(const std::string& path, const std::string& body, const Call& call = {}) const {
        return send("POST", path, body, call);
    }
    // A charge of 50 dollars for an order, under pay:<order>:1.
    Answer charge(const std::string& order, Call call = {}, const std::string& more = "") const {
        const std::string key = "pay:" + order + ":1";
        if (call.key.empty()) call.key = key;
        return post("/v1/payment_intents",
                    "amount=5000&currency=usd&confirm=true&metadata%5Border%5D=" + order +
                        "&metadata%5Bkey%5D=" + key + more,
                    call);
    }
    std::string count(const std::string& pointer) const {
        return get("/sandbox/counts").at(pointer.c_str());
    }

  private:
    Answer send(const std::string& method, const std::string& path, const std::string& body,
                const Call& call) const {
        std::string bytes = method + " " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";
        bytes += "Authorization: Bearer " + call.api_key + "\r\n";
        if (!call.key.empty()) bytes += "Idempotency-Key: " + call.key + "\r\n";
        if (!call.fault.empty()) bytes += "X-Sandbox-Fault: " + call.fault + "\r\n";
        bytes += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
        return exchange(port_, bytes, call.wait_ms);
    }

    std::uint16_t port_;
};

// Receives the webhooks; answers with a status that the test sets.
class Listener {
  public:
    Listener() : server_([this](const Request& request) { return record(request); }) {
        if (!server_.start("127.0.0.1", 0)) throw std::runtime_error("no port");
    }
    std::string url() const { return "http://127.0.0.1:" + std::to_string(server_.port()) + "/w"; }
    void answer(int status) {
        const std::lock_guard lock(mutex_);
        status_ = status;
    }
    // The first `count` that were received; fewer if they do not come in time.
    std::vector<Request> first(std::size_t count) {
        std::unique_lock lock(mutex_);
        heard_.wait_for(lock, std::chrono::seconds(5), [&] { return requests_.size() >= count; });
        return requests_;
    }

  private:
    Reply record(const Request& request) {
        const std::lock_guard lock(mutex_);
        requests_.push_back(request);
        heard_.notify_all();
        return {status_, "{}", {}};
    }

    std::mutex mutex_;
    std::condition_variable heard_;
    int status_ = 200;
    std::vector<Request> requests_;
    HttpServer server_;
};

struct Case {
    explicit Case(Options options = {}) {
        options.port = 0;
        options.api_key = "sk_test_unit";
        options.webhook_secret = "whsec_unit_secret";
        options.webhook_retry = std::chrono::milliseconds(10);
        const auto started = sandbox.start(options);
        if (!started) throw std::runtime_error(started.error().message);
    }
    Client client() const {
        const std::string url = sandbox.url();
        return Client(static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
    }
    Sandbox sandbox;
};

}  // namespace pawl::sandbox::test
