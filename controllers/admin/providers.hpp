// POST /admin/v1/providers/{provider}/pause and /resume, and GET /admin/v1/audit, where they and
// every other change are seen. Free of Drogon; called on a thread that may wait.
#pragma once

#include "controllers/admin/admin.hpp"

namespace pawl::http {

Reply pause_provider(const Request& request, db::Session& session);
Reply resume_provider(const Request& request, db::Session& session);
Reply get_audit(const Request& request, db::Session& session);

}  // namespace pawl::http
