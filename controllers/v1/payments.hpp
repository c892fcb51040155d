// GET /v1/payments/{payment} and GET /v1/refunds/{refund}: how it stands. Free of Drogon; called on
// a thread that may wait.
#pragma once

#include "controllers/v1/v1.hpp"

namespace pawl::http {

HandlerResult get_payment(const Request& request, db::Session& session);
HandlerResult get_refund(const Request& request, db::Session& session);

}  // namespace pawl::http
