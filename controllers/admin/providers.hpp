// POST /admin/v1/providers/{provider}/pause and /resume, and GET /admin/v1/audit, where they and
// every other change are seen. Free of Drogon; called on a thread that may wait.
#pragma once

#include <set>
#include <string>

#include "controllers/admin/admin.hpp"

namespace pawl::http {

// `names`: of the providers that are configured.
SessionHandler pause_provider(std::set<std::string, std::less<>> names);
SessionHandler resume_provider(std::set<std::string, std::less<>> names);
Reply get_audit(const Request& request, db::Session& session);

}  // namespace pawl::http
