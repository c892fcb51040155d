// POST /admin/v1/intents/{provider}/{event_id}/retry, /release, /post, /assign and /dismiss: an
// operator's actions on one unfinished event. Free of Drogon; called on a thread that may wait.
#pragma once

#include <functional>
#include <vector>

#include "controllers/admin/admin.hpp"
#include "intents/operator/operating.hpp"

namespace pawl::http {

// `on_change`: jobs may have been staged.
SessionHandler act_on_intent(intents::Act act, std::vector<providers::Provider> providers,
                             const Clock& clock, std::function<void()> on_change);

}  // namespace pawl::http
