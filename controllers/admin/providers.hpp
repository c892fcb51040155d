// GET /admin/v1/providers, POST /admin/v1/providers/{provider}/pause and /resume, and
// GET /admin/v1/audit, which lists these and all other changes. Free of Drogon; called on a thread
// that may wait.
#pragma once

#include <set>
#include <string>

#include "controllers/admin/admin.hpp"

namespace pawl::http {

// The answer to a request that names no provider of this configuration.
Reply unknown_provider(const std::string& name);

// `names`: of the providers that are configured; `enabled`: of those that are served.
using ProviderNames = std::set<std::string, std::less<>>;
SessionHandler get_providers(ProviderNames names, ProviderNames enabled);
SessionHandler pause_provider(ProviderNames names);
SessionHandler resume_provider(ProviderNames names);
Reply get_audit(const Request& request, db::Session& session);

}  // namespace pawl::http
