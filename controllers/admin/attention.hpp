// GET /admin/v1/attention: items that need an operator, oldest first. Free of Drogon; called on a
// thread that may wait.
#pragma once

#include "base/clock.hpp"
#include "controllers/admin/admin.hpp"
#include "intents/queries/attention.hpp"

namespace pawl::http {

SessionHandler get_attention(intents::Configured configured, const Clock& clock);

}  // namespace pawl::http
