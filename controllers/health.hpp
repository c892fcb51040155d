// `GET /healthz`: the process answers. `GET /readyz`: its dependencies do too. Health ignores the
// database on purpose, because restarting Pawl would not repair it. Handlers, any thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "controllers/http/http.hpp"

namespace pawl::http {

struct ReadyCheck {
    std::string name;
    // Returns an empty string if ready, else one sentence. Must not block: it reports known state.
    std::function<std::string()> what_is_missing;
};

Handler health();
Handler readiness(std::vector<ReadyCheck> checks);

}  // namespace pawl::http
