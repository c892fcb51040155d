// Any bytes through the whole gate in front of Drogon's real parser, over a real socket.
// Invariants: no crash; one answer for each request in the bytes, in order and from the gate; and a
// good request on a new connection is always served.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "base/log.hpp"
#include "controllers/health.hpp"
#include "controllers/http/http_edge.hpp"
#include "tests/fuzz/framing_oracle.hpp"

namespace {

using namespace pawl;
using namespace pawl::http;
using fuzz::Due;
using fuzz::Expected;
using fuzz::must;

constexpr auto npos = std::string_view::npos;
constexpr int probe_every = 16;
constexpr int answer_s_max = 20;  // the machine may be busy
// The minimum of a socket's send buffer.
constexpr std::size_t surely_sent_bytes = 4 * 1024;

void echo(const RequestPtr& request, const Responder& respond) {
    respond({200, "application/octet-stream", {}, request->body});
}

Metrics& metrics() {
    static Metrics all;
    return all;
}

std::uint16_t server_port() {
    static const SystemClock clock;
    static const auto edge = [] {
        log::start(log::Level::error, log::Format::json);
        EdgeOptions options;
        options.open = ListenAddress{"127.0.0.1", 0};
        options.threads = 1;
        Routes routes;
        routes.add({"POST", "/webhooks/{provider}", ServedOn::open, echo});
        routes.add({"GET", "/echo", ServedOn::open, echo});
        routes.add({"GET", "/healthz", ServedOn::both, health()});
        auto made = std::make_unique<Edge>(options, routes, clock, metrics());
        must(made->start().ok(), "the server starts");
        std::atexit([] { std::_Exit(0); });  // Drogon's own statics need not be taken apart
        return made;
    }();
    return edge->open_port();
}

class Client {
  public:
    Client() {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(server_port());
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const int on = 1;
        setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // pieces arrive as pieces
        const timeval patience{answer_s_max, 0};
        setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        must(connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0,
             "the server accepts connections");
    }
    ~Client() { close(fd_); }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    void send(std::string_view bytes) const {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            // After its last answer a server keeps reading for megabytes.
            must(sent > 0, "the server reads what it is sent");
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
    }
    void half_close() const { shutdown(fd_, SHUT_WR); }

    // Returns false if the server has closed.
    bool read_some(std::string& into) const {
        char some[16384];
        const ssize_t got = recv(fd_, some, sizeof some, 0);
        must(got >= 0, "answers and the end come in time, and no connection is cut");
        into.append(some, static_cast<std::size_t>(got));
        return got > 0;
    }

  private:
    const int fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
};

// Takes answers off the front of what arrives, and compares each with what is due.
class Judge {
  public:
    explicit Judge(const Expected& expected) : expected_(expected) {}

    void take(std::string& bytes) {
        while (take_one(bytes)) {
        }
    }
    bool satisfied() const {
        return answered_ == expected_.answers.size() &&
               (continued_ || !expected_.waits_to_continue);
    }

  private:
    bool take_one(std::string& bytes);
    void take_interim();
    void check(const Due& due, std::string_view head, std::string_view body) const;

    const Expected& expected_;
    std::size_t answered_ = 0;
    bool continued_ = false;  // the client has got 100 Continue for this request
};

std::string_view value_of(std::string_view head, std::string_view name) {
    const auto at = head.find("\r\n" + std::string(name) + ": ");
    if (at == npos) return {};
    const auto from = at + name.size() + 4;
    return head.substr(from, head.find("\r\n", from) - from);
}

bool Judge::take_one(std::string& bytes) {
    const auto end = bytes.find("\r\n\r\n");
    if (end == npos) return false;
    const auto head = std::string_view(bytes).substr(0, end + 2);
    must(head.starts_with("HTTP/1.1 ") || head.starts_with("HTTP/1.0 "), "an answer is HTTP");
    if (head == "HTTP/1.1 100 Continue\r\n") {
        take_interim();
        bytes.erase(0, end + 4);
        return true;
    }
    must(answered_ < expected_.answers.size(), "there are more answers than requests");
    const Due& due = expected_.answers[answered_];
    const std::string length(value_of(head, "content-length"));
    must(!length.empty(), "an answer has a length");
    const auto body_bytes = due.without_body() ? 0 : std::strtoul(length.c_str(), nullptr, 10);
    if (bytes.size() < end + 4 + body_bytes) return false;
    check(due, head, std::string_view(bytes).substr(end + 4, body_bytes));
    bytes.erase(0, end + 4 + body_bytes);
    ++answered_;
    continued_ = false;
    return true;
}

void Judge::take_interim() {
    const bool unfinished = answered_ == expected_.answers.size();
    must(unfinished ? expected_.may_continue : expected_.answers[answered_].may_continue,
         "a client that did not wait gets 100 Continue");
    must(!continued_, "a client gets 100 Continue twice");
    continued_ = true;
}

// Plainly one for the echo; what other targets lead to is the routes' own business.
bool is_for_echo(const FramedRequest& request) {
    return (request.method == "POST" && request.target == "/webhooks/demo") ||
           (request.method == "GET" && request.target == "/echo");
}

void Judge::check(const Due& due, std::string_view head, std::string_view body) const {
    must(!value_of(head, "x-content-type-options").empty(), "every answer is the gate's");
    const bool last = expected_.ends && answered_ + 1 == expected_.answers.size();
    must((value_of(head, "connection") == "close") == last, "only the last answer says so");
    const std::string status(head.substr(9, 3));
    const std::string_view type = value_of(head, "content-type");
    if (due.refused()) {
        const std::string code = std::string("\"code\":\"") + due.refusal.code + "\"";
        must(status == std::to_string(due.refusal.status), "a refusal has its status");
        must(type == "application/problem+json", "a refusal is a problem");
        must(body.find(code) != npos, "a refusal says why");
        return;
    }
    const bool echoed = type == "application/octet-stream";
    must(echoed || !is_for_echo(due.request), "the echo answers");
    if (echoed) {
        must(status == "200", "the echo is well");
        must(value_of(head, "content-length") == std::to_string(due.request.body.size()),
             "an echo has the length of what was read");
        must(due.without_body() || body == due.request.body, "an echo is what was read");
    }
}

// In up to four pieces, at places that follow from the bytes.
void send_in_pieces(const Client& client, std::string_view bytes, std::uint64_t chance) {
    for (std::size_t piece = chance % 4; piece > 0 && !bytes.empty(); --piece) {
        const std::size_t some = 1 + (chance >> (8 * piece)) % bytes.size();
        client.send(bytes.substr(0, some));
        bytes.remove_prefix(some);
    }
    client.send(bytes);
}

// The client that reads before it closes gets every answer, and then no byte more.
void check_patient(std::string_view bytes, const Expected& expected, std::uint64_t chance) {
    const Client client;
    Judge judge(expected);
    std::string answers;
    send_in_pieces(client, bytes, chance);
    while (!judge.satisfied()) {
        must(client.read_some(answers), "every request is answered before the connection ends");
        judge.take(answers);
    }
    // Where the last answer was the last, the server closes unasked; else it waits for more.
    if (!expected.ends) client.half_close();
    while (client.read_some(answers)) judge.take(answers);
    must(answers.empty(), "nothing but answers comes");
}

// The client that closes its side at once gets every answer that fits into a socket's buffer, and
// what it gets is right. Behind that, trantor lets a connection go when it reads the end, with
// whatever it could not write until then: an answer may be missing, or be cut.
void check_hasty(std::string_view bytes, const Expected& expected, std::uint64_t chance) {
    const Client client;
    Judge judge(expected);
    std::string answers;
    send_in_pieces(client, bytes, chance);
    client.half_close();
    std::size_t seen = 0;
    for (bool open = true; open;) {
        const std::size_t before = answers.size();
        open = client.read_some(answers);
        seen += answers.size() - before;
        judge.take(answers);
    }
    if (seen >= surely_sent_bytes) return;
    must(judge.satisfied(), "every short answer reaches a client that has closed its side");
    must(answers.empty(), "nothing but answers comes");
}

void check_good_request() {
    const Client client;
    client.send(
        "POST /webhooks/probe HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n"
        "Connection: close\r\n\r\nprobe");
    std::string answer;
    while (client.read_some(answer)) {
    }
    must(answer.starts_with("HTTP/1.1 200 "), "a good request is served at any time");
    must(answer.ends_with("\r\n\r\nprobe"), "a good request is served well at any time");
}

// Connections are released a moment after their clients have seen the end.
void check_nothing_is_kept() {
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(answer_s_max);
    for (bool nothing = false; !nothing; std::this_thread::yield()) {
        const std::string page = metrics().render();
        nothing = page.find("\npawl_http_request_bytes 0\n") != npos &&
                  page.find("\npawl_http_connections 0\n") != npos;
        must(nothing || std::chrono::steady_clock::now() < patience,
             "memory of connections is released when they have ended");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static int inputs = 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const std::uint64_t chance = fuzz::hash_of(bytes);
    fuzz::check_framing(bytes);
    const Expected expected = fuzz::expected_answers(bytes);
    (chance >> 60) % 4 == 0 ? check_hasty(bytes, expected, chance)
                            : check_patient(bytes, expected, chance);
    if (inputs++ % probe_every != 0) return 0;
    check_good_request();
    check_nothing_is_kept();
    return 0;
}
