// The peer of `make bench` without a database: Pawl's HTTP edge, signature check and reading, and
// the response that a commit would have allowed. It stores nothing, so its rate is the upper bound
// of any receiver behind this edge. Configured as `pawl serve --dev` is; stops on SIGTERM.
#include <pthread.h>

#include <csignal>
#include <cstdio>
#include <map>
#include <string>

#include "app/wiring.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "controllers/health.hpp"
#include "controllers/http/http_edge.hpp"
#include "controllers/http/problem.hpp"
#include "settings/settings.hpp"

namespace {

using namespace pawl;

using Providers = std::map<std::string, providers::Provider, std::less<>>;

std::string body_of(std::string_view provider, const providers::Received& received) {
    json::Writer out;
    if (received.batch) out.begin_object().key("events").begin_array();
    for (const providers::Event& event : received.events) {
        out.begin_object().member("provider", provider).member("event_id", event.event_id.str());
        out.member("status", "done").member("outcome", "applied").member("duplicate", false);
        out.end_object();
    }
    if (received.batch) out.end_array().end_object();
    return out.take();
}

http::Handler verify_and_answer(const Providers& providers) {
    return [&providers](const http::RequestPtr& request, const http::Responder& respond) {
        const auto found = providers.find(request->param("provider"));
        if (found == providers.end()) {
            return respond(http::problem(404, "unknown_provider", "no such provider"));
        }
        const providers::Received received =
            found->second.receive({request->method, request->target, request->headers,
                                   request->body, request->received_at});
        if (received.verdict != providers::Verdict::verified) {
            return respond(http::problem(401, received.diagnosis, received.detail));
        }
        http::Reply reply;
        reply.body = body_of(found->first, received);
        respond(std::move(reply));
    };
}

http::EdgeOptions edge_options(const app::ServerSettings& settings) {
    http::EdgeOptions options;
    options.open = http::ListenAddress{settings.listen.host, settings.listen.port};
    options.threads = static_cast<std::size_t>(settings.io_threads);
    options.gate.connection.framing.body_bytes = settings.body_max;
    return options;
}

Result<void> serve(const sigset_t& signals) {
    app::LoadOptions load;
    load.dev = true;
    const app::Loaded loaded = app::load(load);
    if (!loaded.ok()) return invalid(app::error_lines(loaded.findings));
    auto compiled = app::compile_providers(loaded.settings);
    if (!compiled) return compiled.error();
    Providers providers;
    for (providers::Provider& provider : *compiled) {
        std::string name(provider.name());
        providers.emplace(std::move(name), std::move(provider));
    }
    http::Routes routes;
    routes.add(
        {"POST", "/webhooks/{provider}", http::ServedOn::open, verify_and_answer(providers)});
    routes.add({"GET", "/healthz", http::ServedOn::open, http::health()});
    const SystemClock clock;
    Metrics metrics;
    http::Edge edge(edge_options(loaded.settings.server), std::move(routes), clock, metrics);
    if (auto started = edge.start(); !started) return started;
    int signal = 0;
    sigwait(&signals, &signal);
    edge.stop();
    return {};
}

}  // namespace

int main() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    log::start(log::Level::warn, log::Format::text);
    if (const auto served = serve(signals); !served) {
        std::fprintf(stderr, "pawl_nodb: %s\n", served.error().message.c_str());
        return 1;
    }
    return 0;
}
