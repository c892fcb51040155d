// GET /v1/accounts/{account} and GET /v1/accounts/{account}/transfers: balances, and the journal by
// cursor. Free of Drogon; called on a thread that may wait.
#pragma once

#include "controllers/v1/v1.hpp"

namespace pawl::http {

HandlerResult get_balances(const Request& request, db::Session& session);
HandlerResult get_transfers(const Request& request, db::Session& session);

}  // namespace pawl::http
