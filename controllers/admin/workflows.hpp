// GET /admin/v1/workflows, /{id}; POST /{id}/resume, /cancel, /new-attempt, /resolve. Free of
// Drogon; called on a thread that may wait.
#pragma once

#include <functional>

#include "base/clock.hpp"
#include "controllers/admin/admin.hpp"
#include "workflows/operating.hpp"

namespace pawl::http {

Reply get_workflows(const Request& request, db::Session& session);
Reply get_workflow(const Request& request, db::Session& session);

// `wake`: something may be due for the engine.
SessionHandler act_on_workflow(workflows::RunAct act, const Clock& clock,
                               std::function<void()> wake);

}  // namespace pawl::http
