// Builds the merchant's API: its own sessions and threads, so that neither operators nor workflows
// delay it, the policy of the keys, and its access to the workflows. Owned by the Server.
#pragma once

#include "access/tokens.hpp"
#include "base/clock.hpp"
#include "base/executor.hpp"
#include "controllers/http/routes.hpp"
#include "controllers/v1/pending_responses.hpp"
#include "controllers/v1/v1.hpp"
#include "db/pool.hpp"
#include "settings/settings.hpp"
#include "workflows/engine/engine.hpp"
#include "workflows/workflow_deps.hpp"

namespace pawl::app {

http::Authenticate authenticate_with(access::TokenAuthenticator& authenticator);

class Api {
  public:
    Api(const Settings& settings, const db::SessionOptions& session,
        const workflows::Gateways& gateways, workflows::Engine& engine,
        const std::vector<access::StandingToken>& tokens, Timer& timer, const Clock& clock);

    void add_to(http::Routes& routes);
    void start() { pending_.start(); }
    void look() { pending_.look(); }    // a commit that requests may wait for
    void hurry() { pending_.hurry(); }  // before the edge drains: waiting requests are answered now
    void stop();                        // after it has

  private:
    db::Pool sessions_;
    Executor blocking_;  // one thread a session
    access::TokenAuthenticator authenticator_;
    http::PendingResponses pending_;
    const http::KeyPolicy policy_;
    const http::PaymentDeps payments_;
    Timer& timer_;
    const Clock& clock_;
};

}  // namespace pawl::app
