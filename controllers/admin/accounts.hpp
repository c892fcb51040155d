// GET /admin/v1/accounts and /admin/v1/accounts/{account}. Free of Drogon; called on a thread that
// may wait.
#pragma once

#include "controllers/admin/admin.hpp"

namespace pawl::http {

Reply get_accounts(const Request& request, db::Session& session);
Reply get_account(const Request& request, db::Session& session);

}  // namespace pawl::http
