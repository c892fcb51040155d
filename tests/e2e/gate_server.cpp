// A small real server for the gate's tests: the edge with a few plain handlers, nothing else of
// Pawl. Started by gate_test in a process of its own, because Drogon cannot be restarted.
// Prints the two ports, stops on SIGTERM.
#include <malloc.h>
#include <pthread.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "base/executor.hpp"
#include "base/log.hpp"
#include "controllers/access.hpp"
#include "controllers/health.hpp"
#include "controllers/http/http_edge.hpp"
#include "controllers/http/problem.hpp"
#include "controllers/metrics_page.hpp"

namespace {

using namespace pawl;
using namespace pawl::http;

// Returns the received request, so that a test can compare it.
void echo(const RequestPtr& request, const Responder& respond) {
    std::string body = request->method + " " + request->target + "\n";
    for (const auto& [name, value] : request->headers) body += name + "=" + value + "\n";
    body += "\n" + request->body;
    respond({200, "text/plain", {{"X-Provider", request->param("provider")}}, body});
}

// An answer of a size that the client chooses.
void large(const RequestPtr& request, const Responder& respond) {
    const int bytes = std::atoi(request->query_value("bytes").value_or("1").c_str());
    respond({200, "text/plain", {}, std::string(static_cast<std::size_t>(bytes), 'x')});
}

// As a committer does: from another thread, and made on the connection's own.
void from_elsewhere(const RequestPtr&, const Responder& respond) {
    respond.made_by([] { return Reply{200, "text/plain", {}, "from elsewhere"}; });
}

std::chrono::milliseconds from_environment(const char* name, int otherwise) {
    const char* text = std::getenv(name);
    return std::chrono::milliseconds(text == nullptr ? otherwise : std::atoi(text));
}

EdgeOptions options() {
    EdgeOptions options;
    options.open = ListenAddress{"127.0.0.1", 0};
    options.admin = ListenAddress{"127.0.0.1", 0};
    auto& limits = options.gate.connection;
    limits.head_within = from_environment("GATE_HEAD_MS", 10'000);
    limits.body_within = from_environment("GATE_BODY_MS", 30'000);
    limits.idle_within = from_environment("GATE_IDLE_MS", 60'000);
    limits.unread_within = from_environment("GATE_UNREAD_MS", 10'000);
    if (const char* most = std::getenv("GATE_CONNECTIONS")) {
        options.gate.open.connections = static_cast<std::size_t>(std::atoi(most));
    }
    return options;
}

Routes routes(const Metrics& metrics, Executor& executor) {
    const Authenticate authenticate =
        [](std::string_view token) -> Result<std::optional<access::TokenIdentity>> {
        if (token == "down") return unreachable("no database");
        if (token == "view")
            return std::optional(access::TokenIdentity{"v", access::TokenRole::viewer});
        if (token == "operate")
            return std::optional(access::TokenIdentity{"o", access::TokenRole::operating});
        return std::optional<access::TokenIdentity>();
    };
    const Handler slow = on_executor(executor, [](const RequestPtr& request, Responder respond) {
        const int ms = std::atoi(request->query_value("ms").value_or("100").c_str());
        std::this_thread::sleep_for(std::chrono::milliseconds(ms));
        respond({200, "text/plain", {}, "slow " + request->query});
    });
    Routes table;
    table.add({"POST", "/webhooks/{provider}", ServedOn::open, echo});
    table.add({"POST", "/slow", ServedOn::open, slow});
    table.add({"GET", "/echo", ServedOn::open, echo});
    table.add({"GET", "/large", ServedOn::open, large});
    table.add({"GET", "/elsewhere", ServedOn::open, on_executor(executor, from_elsewhere)});
    table.add({"POST", "/throw", ServedOn::open, [](const RequestPtr&, Responder) { throw 42; }});
    table.add({"POST", "/forget", ServedOn::open, [](const RequestPtr&, Responder) {}});
    table.add({"GET", "/healthz", ServedOn::both, health()});
    table.add({"GET", "/readyz", ServedOn::admin,
               readiness({{"database", [] { return std::string("not connected"); }},
                          {"queue", [] { return std::string(); }}})});
    table.add({"GET", "/metrics", ServedOn::admin, metrics_page(metrics)});
    table.add({"GET", "/admin/v1/stats", ServedOn::admin,
               behind_token(authenticate, access::TokenRole::viewer, echo)});
    table.add({"POST", "/admin/v1/replay", ServedOn::admin,
               behind_token(authenticate, access::TokenRole::operating, echo)});
    return table;
}

}  // namespace

int main() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    mallopt(M_MMAP_THRESHOLD, 64 * 1024);  // big buffers go back to the system when freed
    log::start(log::Level::error, log::Format::text);
    const SystemClock clock;
    Metrics metrics;
    Executor executor("slow", 8, 200);
    Edge edge(options(), routes(metrics, executor), clock, metrics);
    if (const auto started = edge.start(); !started) {
        std::fprintf(stderr, "%s\n", started.error().message.c_str());
        return 3;
    }
    std::printf("%u %u\n", edge.open_port(), edge.admin_port());
    std::fflush(stdout);
    int signal = 0;
    sigwait(&signals, &signal);
    edge.stop();
    executor.stop();
    return 0;
}
