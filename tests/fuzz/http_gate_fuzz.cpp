// Any bytes at all, first through the framing alone, then through the whole gate in front of
// Drogon's real parser. What must hold: no crash, no verdict that depends on how the bytes were
// cut, no answer that did not come from us.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "base/log.hpp"
#include "controllers/health.hpp"
#include "controllers/http_edge.hpp"

namespace {

using namespace pawl;
using namespace pawl::http;

void must(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
}

struct Outcome {
    Framing::Verdict verdict = Framing::Verdict::need_more;
    std::size_t end = 0;
    std::string code;
    FramedRequest request;
};

// Pieces of `piece` bytes; 0: all at once.
Outcome frame(std::string_view bytes, std::size_t piece) {
    static const FramingLimits limits;
    Framing framing(limits);
    Outcome outcome;
    while (outcome.verdict == Framing::Verdict::need_more && outcome.end < bytes.size()) {
        const auto rest = bytes.substr(outcome.end);
        const auto fed = framing.feed(piece == 0 ? rest : rest.substr(0, piece));
        outcome.end += fed.used;
        outcome.verdict = fed.verdict;
    }
    if (outcome.verdict == Framing::Verdict::refused) outcome.code = framing.refusal().code;
    if (outcome.verdict == Framing::Verdict::complete) outcome.request = framing.take();
    return outcome;
}

// Written out again plainly, a request must read as the same one.
void reads_the_same_again(const FramedRequest& request) {
    std::string plain = request.method + " " + request.target + " HTTP/1.";
    plain += request.minor_version == 0 ? "0\r\n" : "1\r\n";
    for (const auto& [name, value] : request.headers) {
        std::string lower = name;
        std::transform(lower.begin(), lower.end(), lower.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        if (lower == "content-length" || lower == "transfer-encoding") continue;
        plain += name + ": " + value + "\r\n";
    }
    const std::string length = "L: x\r\nContent-Length: " + std::to_string(request.body.size());
    if (request.headers.size() > 90 || plain.size() > 32'000) return;  // no room to add a line
    const Outcome again = frame(plain + length + "\r\n\r\n" + request.body, 0);
    must(again.verdict == Framing::Verdict::complete, "a request cannot be read again");
    must(again.request.body == request.body, "a body changes when it is read again");
    must(again.request.target == request.target, "a target changes when it is read again");
}

void check_framing(std::string_view bytes) {
    const Outcome whole = frame(bytes, 0);
    for (const std::size_t piece : {std::size_t{1}, 1 + bytes.size() % 7, 1 + bytes.size() / 2}) {
        const Outcome cut = frame(bytes, piece);
        must(cut.verdict == whole.verdict, "the verdict depends on the cut");
        must(cut.end == whole.end, "the end depends on the cut");
        must(cut.code == whole.code, "the refusal depends on the cut");
        must(cut.request.body == whole.request.body, "the body depends on the cut");
        must(cut.request.headers == whole.request.headers, "the headers depend on the cut");
    }
    must(whole.request.headers.size() <= 100, "too many headers got through");
    if (whole.verdict == Framing::Verdict::complete) reads_the_same_again(whole.request);
}

void echo(const RequestPtr& request, const Responder& respond) {
    respond({200, "application/octet-stream", {}, request->body});
}

std::uint16_t server_port() {
    static const SystemClock clock;
    static Metrics metrics;
    static const auto edge = [] {
        log::start(log::Level::error, log::Format::json);
        EdgeOptions options;
        options.open = ListenAddress{"127.0.0.1", 0};
        options.threads = 1;
        Routes routes;
        routes.add({"POST", "/webhooks/{provider}", ServedOn::open, echo});
        routes.add({"GET", "/echo", ServedOn::open, echo});
        routes.add({"GET", "/healthz", ServedOn::both, health()});
        auto made = std::make_unique<Edge>(options, routes, clock, metrics);
        must(made->start().ok(), "the server starts");
        std::atexit([] { std::_Exit(0); });  // Drogon's own statics need not be taken apart
        return made;
    }();
    return edge->open_port();
}

std::string exchange(std::string_view bytes) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(server_port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    must(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0,
         "the server accepts connections");
    const std::size_t middle = bytes.size() / 3;
    send(fd, bytes.data(), middle, MSG_NOSIGNAL);
    send(fd, bytes.data() + middle, bytes.size() - middle, MSG_NOSIGNAL);
    shutdown(fd, SHUT_WR);
    std::string answers;
    char some[16384];
    for (ssize_t got = 0; (got = recv(fd, some, sizeof some, 0)) > 0;) {
        answers.append(some, static_cast<std::size_t>(got));
    }
    close(fd);
    return answers;
}

// Takes one answer off the front. Each of ours carries a header that Drogon's own do not.
std::string_view without_first(std::string_view answers, bool to_head) {
    constexpr std::string_view interim = "HTTP/1.1 100 Continue\r\n\r\n";
    if (answers.starts_with(interim)) return answers.substr(interim.size());
    must(answers.starts_with("HTTP/1.1 ") || answers.starts_with("HTTP/1.0 "), "an answer is HTTP");
    const auto end = answers.find("\r\n\r\n");
    must(end != std::string_view::npos, "an answer has a complete head");
    const auto head = answers.substr(0, end + 2);
    must(head.find("x-content-type-options: nosniff\r\n") != std::string_view::npos,
         "every answer is ours");
    const auto at = head.find("content-length: ");
    must(at != std::string_view::npos, "an answer has a length");
    const auto length = static_cast<std::size_t>(std::atol(head.data() + at + 16));
    return answers.substr(std::min(answers.size(), end + 4 + (to_head ? 0 : length)));
}

void check_gate(std::string_view bytes) {
    const std::string answers = exchange(bytes);
    if (bytes.find("HEAD") != std::string_view::npos) return;  // lengths without bodies
    std::string_view rest = answers;
    while (!rest.empty()) rest = without_first(rest, false);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    check_framing(bytes);
    check_gate(bytes);
    return 0;
}
