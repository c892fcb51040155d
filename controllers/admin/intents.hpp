// GET /admin/v1/intents, /admin/v1/intents/{provider}/{event_id} and /admin/v1/rejections.
// Free of Drogon; called on a thread that may wait.
#pragma once

#include "controllers/admin/admin.hpp"

namespace pawl::http {

Reply get_intents(const Request& request, db::Session& session);
Reply get_intent(const Request& request, db::Session& session);
Reply get_rejections(const Request& request, db::Session& session);

}  // namespace pawl::http
