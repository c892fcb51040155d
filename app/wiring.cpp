#include "app/wiring.hpp"

#include <sys/resource.h>

#include "app/wiring_workflows.hpp"
#include "base/log.hpp"
#include "controllers/access.hpp"
#include "controllers/admin/table.hpp"
#include "controllers/health.hpp"
#include "controllers/metrics_page.hpp"
#include "controllers/v1/openapi.hpp"
#include "tools/program.hpp"

namespace pawl::app {
namespace {

http::ListenAddress address_of(const Listen& listen) {
    return {listen.host, listen.port};
}

http::EdgeOptions edge_options(const ServerSettings& settings, const Roles& roles) {
    http::EdgeOptions options;
    if (roles.serves_public()) options.open = address_of(settings.listen);
    if (roles.serves_admin()) options.admin = address_of(settings.admin_listen);
    options.threads = static_cast<std::size_t>(settings.io_threads);
    options.gate.connection.framing.body_bytes = settings.body_max;
    options.gate.connection.framing.header_lines = settings.header_lines_max;
    options.gate.connection.framing.header_bytes = settings.header_bytes_max;
    options.gate.connection.head_within = to_ms(settings.header_timeout);
    options.gate.connection.body_within = to_ms(settings.body_timeout);
    options.drain_within = to_ms(settings.drain_timeout);
    return options;
}

intents::CommitterOptions committer_options(const ReceiveSettings& settings, JobParts& jobs,
                                            intents::SegmentFilters& filters) {
    intents::CommitterOptions options;
    options.committers = static_cast<std::size_t>(settings.committers);
    options.batch_max = settings.batch_max;
    options.locks_max = settings.locks_max;
    options.queue_max = settings.queue_max;
    options.answer_within = to_ms(settings.answer_timeout);
    options.on_commit = [&jobs] { jobs.poke(); };
    options.filters = &filters;
    return options;
}

intents::SweeperOptions sweeper_options(JobParts& jobs) {
    intents::SweeperOptions options;
    options.on_commit = [&jobs] { jobs.poke(); };
    return options;
}

intents::RejectionLimits rejection_limits(const RetentionSettings& settings) {
    intents::RejectionLimits limits;
    const auto days = std::chrono::ceil<std::chrono::days>(settings.rejections).count();
    limits.bytes_a_day = settings.rejected_bytes_max / static_cast<std::size_t>(std::max(1L, days));
    return limits;
}

}  // namespace

Result<void> check_ports_free(const Settings& settings, const Roles& roles) {
    const http::EdgeOptions options = edge_options(settings.server, roles);
    for (const auto& address : {options.open, options.admin}) {
        if (!address) continue;
        if (auto port = http::ReservedPort::take(*address); !port) return port.error();
    }
    return {};
}

Result<std::vector<providers::Provider>> compile_providers(const Settings& settings) {
    std::vector<providers::Provider> compiled;
    for (const ProviderFile& file : settings.providers) {
        if (!file.on) continue;
        auto provider = providers::Provider::create(file.config);
        if (!provider) return invalid(file.file + ": " + provider.error().message);
        compiled.push_back(std::move(*provider));
    }
    return compiled;
}

std::set<std::string, std::less<>> provider_names(const Settings& settings) {
    std::set<std::string, std::less<>> names;
    for (const ProviderFile& file : settings.providers) names.insert(file.config.name);
    return names;
}

intents::Configured configured_in(const Settings& settings) {
    intents::Configured configured;
    for (const GatewayFile& file : settings.gateways) {
        configured.gateways.push_back(file.name);
    }
    for (const Subscriber& one : settings.subscribers) configured.subscribers.push_back(one.name);
    return configured;
}

namespace {

std::set<std::string, std::less<>> off_providers(const Settings& settings) {
    std::set<std::string, std::less<>> names;
    for (const ProviderFile& file : settings.providers) {
        if (!file.on) names.insert(file.config.name);
    }
    return names;
}

}  // namespace

Server::Server(const Settings& settings, const Roles& roles, const db::SessionOptions& session,
               const std::vector<providers::Provider>& providers, workflows::Gateways gateways,
               std::vector<access::StandingToken> tokens, Timer& timer, const Clock& clock)
    : timer_(timer),
      tokens_(std::move(tokens)),
      sessions_(db::named(db::for_reports(session), "admin"),
                static_cast<std::size_t>(settings.database.sessions)),
      blocking_("admin", static_cast<std::size_t>(settings.database.sessions), 256),
      verify_("verify", 1, 1),
      authenticator_(sessions_, tokens_, clock),
      rejected_sign_ins_(sessions_, clock),
      jobs_(settings, roles, session, clock, segment_filters_, metrics_),
      committer_(committer_options(settings.receive, jobs_, segment_filters_), session, timer,
                 clock, metrics_),
      rejections_(rejection_limits(settings.retention), session, metrics_),
      sweeper_(sweeper_options(jobs_), session, clock, metrics_),
      roles_(roles),
      gateways_(std::move(gateways)),
      parts_(workflow_parts(gateways_, metrics_)),
      work_sessions_(db::named(session, "work"),
                     static_cast<std::size_t>(settings.database.sessions)),
      engine_(engine_options(gateways_, settings.work,
                             [this] {
                                 jobs_.poke();
                                 api_.look();
                             }),
              shipped_workflows(parts_), work_sessions_, clock, metrics_),
      api_(settings, session, gateways_, engine_, tokens_, timer, clock),
      receive_(providers, off_providers(settings), committer_, rejections_, clock, metrics_),
      edge_(edge_options(settings.server, roles),
            routes(settings, roles, session, providers, clock), clock, metrics_) {
    metrics_.gauge("pawl_build_info", "1; the labels describe the build.", {"version"})
        .with({std::string(version)})
        .set(1);
}

Server::~Server() {
    stop(Duration::zero());
}

http::Routes Server::routes(const Settings& settings, const Roles& roles,
                            const db::SessionOptions& session,
                            const std::vector<providers::Provider>& providers, const Clock& clock) {
    using http::ServedOn;
    http::Routes routes;
    routes.add({"GET", "/healthz", ServedOn::both, http::health()});
    if (roles.receive) {
        routes.add({"POST", "/webhooks/{provider}", ServedOn::open,
                    [this](const http::RequestPtr& request, const http::Responder& respond) {
                        receive_.handle(request, respond);
                    }});
        api_.add_to(routes);
    }
    if (roles.serves_admin()) add_watching_routes(routes);
    if (roles.admin) {
        const auto document = http::openapi(address_of(settings.server.listen),
                                            address_of(settings.server.admin_listen));
        routes.add({"GET", "/openapi.json", ServedOn::admin, document});
        add_admin_routes(routes, settings, session, providers, clock);
    }
    return routes;
}

void Server::add_watching_routes(http::Routes& routes) {
    using http::ServedOn;
    routes.add({"GET", "/readyz", ServedOn::admin,
                http::readiness({{"database", [this] {
                                      return committer_.database_up()
                                                 ? ""
                                                 : "the last commit did not reach it";
                                  }}})});
    routes.add({"GET", "/metrics", ServedOn::admin, http::metrics_page(metrics_)});
}

void Server::add_admin_routes(http::Routes& routes, const Settings& settings,
                              const db::SessionOptions& session,
                              const std::vector<providers::Provider>& providers,
                              const Clock& clock) {
    const auto on_rejected = [this](const http::Request& request, const std::string& principal,
                                    const std::string& reason) {
        rejected_sign_ins_.note(
            {reason, principal, request.method + " " + request.path, request.remote});
    };
    const http::AdminDeps deps{sessions_, blocking_, authenticate_with(authenticator_),
                               on_rejected};
    const auto on_change = [this] {
        engine_.wake();
        jobs_.poke();
        jobs_.ready();
    };
    http::add_admin(routes, deps,
                    {providers, configured_in(settings), provider_names(settings), on_change,
                     db::for_reports(session), verify_, clock});
}

Result<void> Server::start() {
    committer_.start();
    rejections_.start();
    sweeper_.start();
    api_.start();
    if (roles_.work) {
        const auto session = work_sessions_.take();
        if (auto fits = engine_.check(*session); !fits) return fits;
        engine_.start();
    }
    jobs_.start();
    if (auto answers = edge_.start(); !answers) return answers;
    return {};
}

// All of them at once, so that the stop takes as long as the slowest part and not as long as all
// parts together.
void Server::drain(Duration within) {
    engine_.drain();
    const auto hurry_at = std::chrono::steady_clock::now() + to_ms(within);
    hurry_engine_ = timer_.at(hurry_at, [this] { engine_.hurry(); });
    jobs_.drain(within);
    sweeper_.drain();
    rejections_.drain();
    api_.hurry();
    edge_.drain();
}

void Server::stop(Duration within) {
    drain(within);
    edge_.stop();  // first: its requests in progress still need the parts below
    api_.stop();
    committer_.stop();
    rejections_.stop();
    sweeper_.stop();
    engine_.stop();
    jobs_.stop();
    blocking_.stop();
    verify_.stop();
}

}  // namespace pawl::app
