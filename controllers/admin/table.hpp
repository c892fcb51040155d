// The admin API's routes, for the server and for the terminal. Called before anything is asked.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/executor.hpp"
#include "controllers/admin/admin.hpp"
#include "controllers/http/routes.hpp"
#include "db/session.hpp"
#include "intents/queries/attention.hpp"
#include "providers/provider.hpp"

namespace pawl::http {

// The objects that the handlers use; they must outlive the routes.
struct AdminParts {
    std::vector<providers::Provider> providers;  // those that are served
    intents::Configured configured;
    std::set<std::string, std::less<>> provider_names;  // names of all configured ones
    std::function<void()> on_change;  // jobs may be staged or ready, runs may be due
    db::SessionOptions session;       // for a verification, which needs one of its own
    Executor& verify;                 // has one thread
    const Clock& clock;
};

void add_admin(Routes& routes, const AdminDeps& deps, const AdminParts& parts);

}  // namespace pawl::http
