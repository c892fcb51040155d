// Builds the server; the constructor lists its parts. Constructors only, no container. Owned by
// `pawl serve`, on its thread.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "access/sign_ins.hpp"
#include "access/tokens.hpp"
#include "app/job_parts.hpp"
#include "app/roles.hpp"
#include "app/wiring_api.hpp"
#include "base/clock.hpp"
#include "base/executor.hpp"
#include "base/metrics.hpp"
#include "base/timer.hpp"
#include "controllers/http/http_edge.hpp"
#include "controllers/receive.hpp"
#include "db/pool.hpp"
#include "intents/commit/committer.hpp"
#include "intents/deliveries/rejections.hpp"
#include "intents/parking/sweeper.hpp"
#include "intents/queries/attention.hpp"
#include "intents/segments/segment_filters.hpp"
#include "providers/provider.hpp"
#include "settings/settings.hpp"
#include "workflows/engine/engine.hpp"
#include "workflows/workflow_deps.hpp"

namespace pawl::app {

// Fails if another program listens on a port that this process needs. Called before a database is
// created or started.
Result<void> check_ports_free(const Settings& settings, const Roles& roles);

// The providers that are switched on, compiled. An invalid one is an error of the start.
Result<std::vector<providers::Provider>> compile_providers(const Settings& settings);

std::set<std::string, std::less<>> provider_names(const Settings& settings);  // off ones, too
intents::Configured configured_in(const Settings& settings);

class Server {
  public:
    Server(const Settings& settings, const Roles& roles, const db::SessionOptions& session,
           const std::vector<providers::Provider>& providers, workflows::Gateways gateways,
           std::vector<access::StandingToken> tokens, Timer& timer, const Clock& clock);
    ~Server();  // stops, where it has not been

    Result<void> start();  // returns when it answers
    // Begins no new work and loses no accepted work; then returns. Clients, payment APIs and
    // subscribers are not waited for longer than `within`.
    void stop(Duration within);

    std::uint16_t open_port() const { return edge_.open_port(); }
    std::uint16_t admin_port() const { return edge_.admin_port(); }

  private:
    http::Routes routes(const Settings& settings, const Roles& roles,
                        const db::SessionOptions& session,
                        const std::vector<providers::Provider>& providers, const Clock& clock);
    void drain(Duration within);
    void add_watching_routes(http::Routes& routes);
    void add_admin_routes(http::Routes& routes, const Settings& settings,
                          const db::SessionOptions& session,
                          const std::vector<providers::Provider>& providers, const Clock& clock);

    // Callbacks and other threads may capture `this` here: stop() returns when every thread of the
    // parts has ended, and the parts are destroyed in the reverse of this order.
    Metrics metrics_;
    Timer& timer_;
    const std::vector<access::StandingToken> tokens_;
    // Used by the admin API alone: it shares no resource with providers and shops.
    db::Pool sessions_;
    Executor blocking_;  // one thread a session
    Executor verify_;
    access::TokenAuthenticator authenticator_;
    access::RejectedSignIns rejected_sign_ins_;
    intents::SegmentFilters segment_filters_;  // committers and maintenance query and load them
    JobParts jobs_;
    intents::Committer committer_;
    intents::Rejections rejections_;
    intents::Sweeper sweeper_;
    const Roles roles_;
    const workflows::Gateways gateways_;
    const workflows::WorkflowDeps parts_;
    db::Pool work_sessions_;
    workflows::Engine engine_;
    Timer::Deadline hurry_engine_;  // while it drains
    Api api_;
    http::Receive receive_;
    http::Edge edge_;
};

}  // namespace pawl::app
